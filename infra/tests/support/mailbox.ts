/** Reads the mailbox of the stand-ins, which takes every mail of a product under test. */

export interface Mail {
  readonly id: string
  readonly to: string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly date: number
}

interface WithMailbox {
  readonly endpoints: { readonly mailbox: string | null }
}

/** The mails to an address, newest first. */
export async function mailsTo({ endpoints }: WithMailbox, address: string): Promise<Mail[]> {
  const url = `${endpoints.mailbox}/api/messages?to=${encodeURIComponent(address)}`
  return (await (await fetch(url)).json()) as Mail[]
}

/** The mail to this address with this subject. Errors: there is none, or more than one. */
export async function onlyMail(product: WithMailbox, address: string, subject: RegExp): Promise<Mail> {
  const found = (await mailsTo(product, address)).filter((one) => subject.test(one.subject))
  const [mail] = found
  if (!mail || found.length > 1) throw new Error(`${found.length} mails to ${address} about ${subject}`)
  return mail
}
