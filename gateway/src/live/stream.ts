import type { FastifyReply } from 'fastify'

/** A client with more unread bytes than this is disconnected: it reconnects and reads everything again. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** One open answer of server-sent events. */
export interface EventStream {
  /** Sends the headers. `leave` runs when the stream is over, at once if its client has left already. */
  begin(leave: () => void): void
  /** Dropped before `begin`: the client reads everything once the stream has begun. */
  send(frame: Buffer): void
  comment(): void
  end(): void
  readonly isOpen: boolean
}

/** An event as it goes over the wire; many streams may share one. */
export const frameOf = (event: string, data: unknown): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const COMMENT = Buffer.from(': still here\n\n')

export function eventStream(reply: FastifyReply): EventStream {
  const response = reply.raw
  let state: 'beginning' | 'begun' | 'ended' = 'beginning'
  const end = (): void => {
    if (state === 'begun') response.end()
    state = 'ended'
  }
  const write = (bytes: Buffer): void => {
    if (state !== 'begun' || response.destroyed) return
    response.write(bytes)
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  }
  return {
    begin: (leave) => {
      void reply.hijack()
      if (response.destroyed) return leave()
      response.on('close', leave).on('error', () => {})
      // the stream ends with its connection: with chunked encoding, each event would be four writes
      response.removeHeader('transfer-encoding')
      response.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        // an ended stream must not leave a connection that keeps the server from closing
        connection: 'close',
      })
      if (state === 'ended') response.end()
      else state = 'begun'
    },
    send: write,
    comment: () => write(COMMENT),
    end,
    get isOpen() {
      return state !== 'ended' && !response.destroyed
    },
  }
}
