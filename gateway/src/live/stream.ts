import type { ServerResponse } from 'node:http'

/** A client that reads slower than this is behind for good: it reconnects and refetches. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** One open answer of server-sent events. */
export interface EventStream {
  send(frame: Buffer): void
  comment(): void
  end(): void
  readonly isOpen: boolean
}

/** An event as it goes over the wire; many streams may share one. */
export const frameOf = (event: string, data: unknown): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const COMMENT = Buffer.from(': still here\n\n')

export function eventStream(response: ServerResponse): EventStream {
  const write = (bytes: Buffer): void => {
    if (response.writableEnded || response.destroyed) return
    response.write(bytes)
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  }
  return {
    send: write,
    comment: () => write(COMMENT),
    end: () => {
      if (!response.writableEnded) response.end()
    },
    get isOpen() {
      return !response.writableEnded && !response.destroyed
    },
  }
}
