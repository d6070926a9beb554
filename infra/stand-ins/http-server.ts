import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const MAX_FORM_BYTES = 64 * 1024

/** Listens or rejects (port taken); `handler` receives the port, also with 0 for any free one. `stop` closes open connections. */
export async function listen(
  at: { readonly host: string; readonly port: number },
  handler: (port: number) => RequestListener,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer()
  server.listen(at.port, at.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.on('request', handler(port))
  return {
    port,
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** URL for clients of a server that listens on `host`. */
export const addressOf = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`

/** The fields of a posted HTML form; null when it is too long. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_FORM_BYTES) return null
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
