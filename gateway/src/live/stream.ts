import type { ServerResponse } from 'node:http'

/** A client that reads slower than this is behind for good: it reconnects and refetches. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** One open answer of server-sent events. */
export interface EventStream {
  send(event: string, data: unknown): void
  comment(): void
  end(): void
  readonly isOpen: boolean
}

export function eventStream(response: ServerResponse): EventStream {
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  }
  return {
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    comment: () => write(': still here\n\n'),
    end: () => {
      if (!response.writableEnded) response.end()
    },
    get isOpen() {
      return !response.writableEnded && !response.destroyed
    },
  }
}
