import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import type { Certificate } from '@prelude/platform'
import { RecipientRefused } from '../src/mail/port.ts'
import { smtpMailer } from '../src/mail/smtp-mailer.ts'
import { certificate, testLogger, trustedCertificate } from '@prelude/platform/testing'
import { mailerConformance, type MailServer, type ReceivedMail } from './conformance/mailer.ts'

process.stderr.write('SMTP: a real server, inside the test (smtp-server)\n')

const MAIL = { messageId: '<one@prelude.test>', to: 'ada@example.com', subject: 's', text: 't', html: 'h' }
const mailerTo = (url: string) =>
  smtpMailer({ url, from: 'Prelude <hello@prelude.test>', logger: testLogger() })

interface Delivery {
  readonly recipients: string[]
  readonly raw: Buffer
  readonly isSecure: boolean
}

function listen(
  port: number,
  state: { refusing: boolean; tries: number; taken: Delivery[] },
  host = '127.0.0.1',
  tls?: Certificate,
) {
  const server = new SMTPServer({
    ...tls,
    disabledCommands: ['AUTH', ...(tls ? [] : ['STARTTLS'])],
    closeTimeout: 50,
    logger: false,
    onData: (stream, session, done) => {
      buffer(stream)
        .then((raw) => {
          state.tries++
          if (state.refusing) return done(new Error('not today'))
          const recipients = session.envelope.rcptTo.map(({ address }) => address)
          state.taken.push({ recipients, raw, isSecure: session.secure })
          done()
        })
        .catch(done)
    },
  })
  server.on('error', () => {}) // a client that goes away is no failure of the server
  return new Promise<SMTPServer>((resolve) => {
    server.listen(port, host, () => resolve(server))
  })
}

async function read({ recipients, raw }: Delivery): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw)
  return {
    messageId: mail.messageId ?? '',
    recipients,
    to: (mail.to ?? []).map(({ address }) => address ?? ''),
    replyTo: (mail.replyTo ?? []).map(({ address }) => address ?? ''),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    headerNames: mail.headers.map(({ key }) => key),
    unsubscribe: mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value,
  }
}

mailerConformance('smtp', async () => {
  const state = { refusing: false, tries: 0, taken: [] as Delivery[] }
  let running = await listen(0, state)
  const { port } = running.server.address() as AddressInfo
  const stop = () => new Promise<void>((resolve) => running.close(() => resolve()))
  const server: MailServer = {
    received: () => Promise.all(state.taken.map(read)),
    refuse: (refusing) => {
      state.refusing = refusing
    },
    tries: () => state.tries,
    stop,
    start: async () => {
      running = await listen(port, state)
    },
  }
  const mailer = mailerTo(`smtp://127.0.0.1:${port}`)
  return {
    mailer,
    server,
    [Symbol.asyncDispose]: async () => {
      await mailer.close()
      await stop()
    },
  }
})

/** A server that calls a function with each connection. */
async function bareServer(onConnection: (socket: Socket) => unknown) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => void server.close(),
  }
}

test('a server that never greets is given up in time, which the address may shorten', async () => {
  const sockets: Socket[] = []
  using server = await bareServer((socket) => sockets.push(socket))
  const mailer = mailerTo(`smtp://127.0.0.1:${server.port}?greetingTimeout=100`)
  await expect(mailer.send(MAIL)).rejects.toBeInstanceOf(Error)
  await mailer.close()
  for (const socket of sockets) socket.destroy()
})

test('a server that hangs up, at once or in the middle of a mail, is not tried again by the mailer', async () => {
  for (const greeting of ['', '220 hello\r\n']) {
    let connections = 0
    using server = await bareServer((socket) => {
      connections++
      if (greeting === '') return socket.destroy()
      socket.write(greeting)
      socket.on('data', (chunk) => {
        if (chunk.toString().startsWith('EHLO')) socket.write('250 hello\r\n')
        else socket.destroy()
      })
    })
    const mailer = mailerTo(`smtp://127.0.0.1:${server.port}`)
    await expect(mailer.send(MAIL)).rejects.toBeInstanceOf(Error)
    expect(connections).toBe(1)
    await mailer.close()
  }
})

/** Refusals of a real server, by the command that it refuses; `refused` is null for those that concern all our mails or pass. */
const REFUSALS: readonly [command: 'MAIL' | 'RCPT' | 'DATA', answer: string, refused: string | null][] = [
  ['RCPT', '550 5.1.1 <ada@example.com>: no such user here', '550 5.1.1'],
  ['RCPT', '553 5.1.3 bad address syntax', '553 5.1.3'],
  ['RCPT', '556 5.1.10 the domain takes no mail', '556 5.1.10'],
  ['RCPT', '550 5.2.1 mailbox disabled', '550 5.2.1'],
  ['DATA', '552 5.2.2 mailbox full', '552 5.2.2'],
  ['RCPT', '550 no such mailbox', '550'],
  ['RCPT', '550 relay not permitted', null],
  ['RCPT', '554 5.7.1 relay access denied', null],
  ['RCPT', '550 5.7.26 unauthenticated mail of this domain', null],
  ['RCPT', '550 5.1.0 sender address rejected: unknown user', null],
  ['RCPT', '553 5.1.8 the domain of the sender does not exist', null],
  ['RCPT', '530 5.7.0 authenticate first', null],
  ['RCPT', '550 5.4.1 no route', null],
  ['RCPT', '450 4.2.1 try again later', null],
  ['RCPT', '451 greylisted', null],
  ['MAIL', '550 5.1.1 no such sender', null],
  ['DATA', '554 5.7.1 this looks like spam', null],
  ['DATA', '550 not today', null],
]

test.for(REFUSALS)(
  '%s refused with "%s": the recipient is refused for good with %s',
  async ([at, answer, refused]) => {
    using server = await bareServer((socket) => {
      socket.write('220 hello\r\n')
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().trim().split('\r\n')) {
          const isRefused = line.startsWith(at)
          if (/^(EHLO|MAIL|RCPT|RSET)/.test(line)) socket.write(`${isRefused ? answer : '250 fine'}\r\n`)
          else if (line === 'DATA') socket.write('354 go on\r\n')
          else if (line === '.') socket.write(`${at === 'DATA' ? answer : '250 fine'}\r\n`)
        }
      })
    })
    const mailer = mailerTo(`smtp://127.0.0.1:${server.port}`)
    const error: unknown = await mailer.send(MAIL).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(error instanceof RecipientRefused ? error.status : null).toBe(refused)
    await mailer.close()
  },
)

test('a server that refuses our password refuses no recipient', async () => {
  using server = await bareServer((socket) => {
    socket.write('220 hello\r\n')
    socket.on('data', (chunk) => {
      const isLogin = chunk.toString().startsWith('AUTH')
      socket.write(isLogin ? '535 5.7.8 wrong password\r\n' : '250-hello\r\n250 AUTH PLAIN\r\n')
    })
  })
  const mailer = mailerTo(`smtp://user:wrong@127.0.0.1:${server.port}`)
  await expect(mailer.send(MAIL)).rejects.toMatchObject({ name: 'Error', responseCode: 535 })
  await mailer.close()
})

test('a server elsewhere that offers no TLS gets no mail, unless the address says so', async () => {
  const state = { refusing: false, tries: 0, taken: [] as Delivery[] }
  const server = await listen(0, state, '127.0.0.2')
  const { port } = server.server.address() as AddressInfo
  const elsewhere = mailerTo(`smtp://127.0.0.2:${port}`)
  await expect(elsewhere.send(MAIL)).rejects.toThrow(/STARTTLS/)
  expect(state.taken).toEqual([])
  const closed = mailerTo(`smtp://127.0.0.2:${port}?ignoreTLS=true`)
  await closed.send(MAIL)
  expect(state.taken).toHaveLength(1)
  await Promise.all([elsewhere.close(), closed.close(), promisify(server.close.bind(server))()])
})

test('a server elsewhere gets mail by STARTTLS, if an authority that is trusted has signed its name', async () => {
  const authority = await trustedCertificate()
  const state = { refusing: false, tries: 0, taken: [] as Delivery[] }
  const sendTo = async (tls: Certificate): Promise<void> => {
    const server = await listen(0, state, '127.0.0.2', tls)
    const { port } = server.server.address() as AddressInfo
    const mailer = mailerTo(`smtp://127.0.0.2:${port}`)
    try {
      await mailer.send(MAIL)
    } finally {
      await Promise.all([mailer.close(), promisify(server.close.bind(server))()])
    }
  }
  await expect(sendTo(await certificate('IP:127.0.0.2'))).rejects.toThrow(/self-signed/)
  await expect(sendTo(await certificate('DNS:localhost', authority))).rejects.toThrow(/IP: 127.0.0.2 is not/)
  expect(state.taken).toEqual([])
  await sendTo(await certificate('IP:127.0.0.2', authority))
  expect(state.taken).toMatchObject([{ isSecure: true }])
})
