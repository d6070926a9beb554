export { startMailbox, type Mailbox, type MailboxOptions } from './start-mailbox.ts'
export type { Message } from './message.ts'
