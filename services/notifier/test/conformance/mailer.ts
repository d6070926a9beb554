import { expect, test } from 'vitest'
import type { Mail, Mailer } from '../../src/mail/port.ts'

/** A mail as its reader sees it, and the recipients of its SMTP envelope. */
export interface ReceivedMail {
  readonly messageId: string
  readonly recipients: readonly string[]
  readonly to: readonly string[]
  readonly replyTo: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headerNames: readonly string[]
  /** Of List-Unsubscribe. */
  readonly unsubscribe: string | undefined
}

export interface MailServer {
  /** Parsed, in the order of arrival. */
  received(): Promise<ReceivedMail[]>
  /** While true every mail is refused. */
  refuse(refusing: boolean): void
  /** How often a client has sent the data of a mail, accepted or not. */
  tries(): number
  stop(): Promise<void>
  /** At the same address as before. */
  start(): Promise<void>
}

const mailWith = (given: Partial<Mail>): Mail => ({
  messageId: '<one@prelude.test>',
  to: 'ada@example.com',
  subject: 'Your song is ready',
  text: 'Hello\n',
  html: '<p>Hello</p>',
  ...given,
})

/** What every Mailer must keep. `open` gives a mailer and the server that it sends to. */
export function mailerConformance(
  name: string,
  open: () => Promise<{ mailer: Mailer; server: MailServer } & AsyncDisposable>,
): void {
  const sendAndRead = async (given: Partial<Mail>): Promise<ReceivedMail> => {
    await using opened = await open()
    await opened.mailer.send(mailWith(given))
    const [received, ...more] = await opened.server.received()
    expect(more).toEqual([])
    if (!received) throw new Error('nothing arrived')
    return received
  }

  test(`${name}: a mail arrives with its id, both parts and its one recipient`, async () => {
    const received = await sendAndRead({})
    expect(received).toMatchObject({
      messageId: '<one@prelude.test>',
      recipients: ['ada@example.com'],
      to: ['ada@example.com'],
      replyTo: [],
      subject: 'Your song is ready',
    })
    expect(received.text.trim()).toBe('Hello')
    expect(received.html).toContain('<p>Hello</p>')
    expect(received.unsubscribe).toBeUndefined()
  })

  test(`${name}: a mail that can be switched off names the page where`, async () => {
    const unsubscribeUrl = 'https://prelude.test/preferences'
    expect((await sendAndRead({ unsubscribeUrl })).unsubscribe).toBe(`<${unsubscribeUrl}>`)
  })

  test(`${name}: an answer goes to the address that the mail names`, async () => {
    const replyTo = '"Ada, B."@example.com'
    expect((await sendAndRead({ replyTo })).replyTo).toEqual([replyTo])
  })

  test(`${name}: any Unicode arrives as it was sent`, async () => {
    const words = 'Zoë, 你好, Привет, שלום, 🎵👩‍🎤'
    const received = await sendAndRead({ subject: words, text: `${words}\n`, html: `<p>${words}</p>` })
    expect(received.subject).toBe(words)
    expect(received.text.trim()).toBe(words)
    expect(received.html).toContain(words)
  })

  test(`${name}: long lines, white space and lines of a single dot arrive unabridged`, async () => {
    const line = `${'la '.repeat(3_000)}end`
    const text = `${line}\n  indented  \n.\n..\nFrom here\n${'x'.repeat(5_000)}\n`
    const received = await sendAndRead({ text, html: `<p>${line}</p>` })
    expect(received.text.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd())
    expect(received.html).toContain(line)
  })

  test(`${name}: a line break in a subject or an address starts no new header and reaches nobody else`, async () => {
    await using opened = await open()
    const { mailer, server } = opened
    await mailer.send(mailWith({ subject: 'Hi Ada\r\nBcc: eve@example.com\r\n\r\nbody', text: 'plain\n' }))
    for (const to of [
      'ada@example.com\r\nBcc: eve@example.com',
      'ada@example.com, eve@example.com',
      'ada@example.com> RCPT TO:<eve@example.com',
    ])
      await mailer.send(mailWith({ to })).catch(() => {})
    const received = await server.received()
    expect(received[0]?.subject).toContain('Hi Ada')
    for (const mail of received) {
      expect(mail.recipients).not.toContain('eve@example.com')
      expect(mail.headerNames).not.toContain('bcc')
    }
  })

  test(`${name}: a mail that the server refuses is an error after one try, and the next goes through`, async () => {
    await using opened = await open()
    const { mailer, server } = opened
    server.refuse(true)
    await expect(mailer.send(mailWith({}))).rejects.toBeInstanceOf(Error)
    expect(server.tries()).toBe(1)
    server.refuse(false)
    await mailer.send(mailWith({ messageId: '<two@prelude.test>' }))
    expect((await server.received()).map((mail) => mail.messageId)).toEqual(['<two@prelude.test>'])
  })

  test(`${name}: while the server is down sends and pings fail, and they work again once it is back`, async () => {
    await using opened = await open()
    const { mailer, server } = opened
    await mailer.ping()
    await mailer.send(mailWith({}))
    await server.stop()
    await expect(mailer.send(mailWith({ messageId: '<lost@prelude.test>' }))).rejects.toBeInstanceOf(Error)
    await expect(mailer.ping()).rejects.toBeInstanceOf(Error)
    await server.start()
    await mailer.ping()
    await mailer.send(mailWith({ messageId: '<two@prelude.test>' }))
    const ids = (await server.received()).map((mail) => mail.messageId)
    expect(ids).toEqual(['<one@prelude.test>', '<two@prelude.test>'])
  })

  test(`${name}: many mails at once all arrive, each once`, async () => {
    await using opened = await open()
    const ids = Array.from({ length: 20 }, (_, n) => `<${n}@prelude.test>`)
    await Promise.all(ids.map((messageId) => opened.mailer.send(mailWith({ messageId }))))
    const received = (await opened.server.received()).map((mail) => mail.messageId)
    expect(received.toSorted()).toEqual(ids.toSorted())
  })
}
