import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { type Mailbox, type Message, startMailbox } from '../../stand-ins/mailbox/index.ts'

async function start(dataFile?: string): Promise<Mailbox> {
  const mailbox = await startMailbox({ host: '127.0.0.1', smtpPort: 0, httpPort: 0, dataFile })
  onTestFinished(() => mailbox.stop())
  return mailbox
}

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-mailbox-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function send(mailbox: Mailbox, mail: Record<string, string>): Promise<void> {
  const transport = createTransport(mailbox.smtpUrl)
  await transport.sendMail({
    from: 'Prelude <hello@prelude.test>',
    to: 'ada@example.org',
    text: 'Hi',
    ...mail,
  })
  transport.close()
}

async function read(mailbox: Mailbox, query = ''): Promise<Message[]> {
  return (await (await fetch(`${mailbox.url}/api/messages${query}`)).json()) as Message[]
}

test('a sent mail can be read, with its sender, recipients, subject, text and HTML', async () => {
  const mailbox = await start()
  const before = Date.now()
  await send(mailbox, {
    to: 'Ada <Ada@example.org>, bob@example.org',
    subject: 'Für dich ♫',
    text: 'one\ntwo',
    html: '<b>one</b>',
  })
  const [message, ...others] = await read(mailbox)
  expect(others).toEqual([])
  expect(message).toEqual({
    id: expect.any(String),
    from: 'hello@prelude.test',
    to: ['Ada@example.org', 'bob@example.org'],
    subject: 'Für dich ♫',
    text: 'one\ntwo',
    html: '<b>one</b>',
    date: expect.any(Number),
  })
  expect(message?.date).toBeGreaterThanOrEqual(before)
})

test('mail survives a restart, a torn last line does not', async () => {
  const dataFile = join(await folder(), 'mail', 'mailbox.jsonl')
  const first = await start(dataFile)
  await send(first, { subject: 'kept' })
  await first.stop()
  await appendFile(dataFile, '{"id":"torn')
  const second = await start(dataFile)
  await send(second, { subject: 'later' })
  await second.stop()
  expect((await read(await start(dataFile))).map(({ subject }) => subject)).toEqual(['later', 'kept'])
})

test('the page shows the text of mails escaped, and their HTML only inside a sandbox', async () => {
  const mailbox = await start()
  await send(mailbox, {
    subject: '<script>1</script>',
    text: '<img src=x>',
    html: '<script>alert(1)</script><p>Hi</p>',
  })
  const page = await (await fetch(mailbox.url)).text()
  expect(page).not.toContain('<script>')
  expect(page).not.toContain('<img')
  const [, src = ''] = /<iframe [^>]*src="([^"]+)" sandbox=/.exec(page) ?? []
  const frame = await fetch(new URL(src, mailbox.url))
  expect(await frame.text()).toContain('<p>Hi</p>')
  const policy = frame.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/^sandbox (?!.*allow-(scripts|same-origin))/)
})
