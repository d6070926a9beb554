import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { addressOf, listen } from '../http-server.ts'
import { PAGE_HEADERS, renderPage, sendPage } from '../page.ts'
import { parseMessage } from './message.ts'
import { messageStore, type MessageStore } from './message-store.ts'
import { MAIL_HEADERS, mailboxPage, mailHtml } from './pages.ts'

export interface MailboxOptions {
  readonly host: string
  /** 0: any free port. */
  readonly smtpPort: number
  readonly httpPort: number
  /** File of the mails; without it they are in memory only. */
  readonly dataFile?: string | undefined
}

export interface Mailbox {
  readonly smtpUrl: string
  /** URL of the page; `/api/messages` is for programs. */
  readonly url: string
  stop(): Promise<void>
}

const MAX_MAIL_BYTES = 10 * 1024 * 1024

/** Starts a mail server that accepts all mail, delivers none, and shows it. The same mail sent twice is kept twice. */
export async function startMailbox(options: MailboxOptions): Promise<Mailbox> {
  const { host } = options
  const store = messageStore(options.dataFile)
  const smtp = await listenSmtp(store, { host, port: options.smtpPort })
  const http = await listen(
    { host, port: options.httpPort },
    () => (req, res) => answer(store, req, res),
  ).catch(async (error: unknown) => {
    await smtp.stop()
    throw error
  })
  return {
    smtpUrl: addressOf(host, smtp.port).replace('http:', 'smtp:'),
    url: addressOf(host, http.port),
    async stop() {
      await Promise.all([smtp.stop(), http.stop()])
    },
  }
}

async function listenSmtp(store: MessageStore, at: { host: string; port: number }) {
  const server = new SMTPServer({
    authOptional: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'anyone' }),
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true, // it would query DNS before the greeting
    size: MAX_MAIL_BYTES,
    closeTimeout: 200,
    logger: false,
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
      const take = async (): Promise<void> => {
        const raw = await buffer(stream)
        if (stream.sizeExceeded)
          throw Object.assign(new Error('The mail is too large'), { responseCode: 552 })
        store.add(await parseMessage(raw, envelope))
      }
      take().then(
        () => done(),
        (error: Error) => done(error),
      )
    },
  })
  const socket = server.listen(at.port, at.host)
  await once(server.server, 'listening')
  server.on('error', () => undefined) // a client that disconnected
  let stopped: Promise<void> | undefined
  return {
    port: (socket.address() as AddressInfo).port,
    stop: () => (stopped ??= new Promise<void>((resolve) => server.close(resolve))),
  }
}

function answer(store: MessageStore, req: IncomingMessage, res: ServerResponse): void {
  const url = URL.parse(req.url ?? '/', 'http://mailbox')
  const path = url?.pathname
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (path === '/api/messages') {
    if (reads) return sendJson(res, 200, store.list(url?.searchParams.get('to')))
    if (req.method !== 'DELETE') return refuse(res, 'GET, HEAD, DELETE')
    store.clear()
    res.writeHead(204).end()
    return
  }
  if (!reads) return refuse(res, 'GET, HEAD')
  if (path === '/') {
    const to = url?.searchParams.get('to') ?? null
    return sendPage(res, 200, mailboxPage(store.list(to), to))
  }
  const id = /^\/messages\/([\w-]+)\/html$/.exec(path ?? '')?.[1]
  const html = id === undefined ? undefined : store.find(id)?.html
  if (typeof html === 'string') res.writeHead(200, MAIL_HEADERS).end(mailHtml(html))
  else res.writeHead(404, PAGE_HEADERS).end(renderPage({ title: 'Not found', body: '<h1>Not found</h1>' }))
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  res.end(JSON.stringify(body))
}

function refuse(res: ServerResponse, allow: string): void {
  res.writeHead(405, { allow }).end()
}
