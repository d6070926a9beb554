import type { ClientBase } from 'pg'

/**
 * How much longer than a statement may take its answer is awaited: that it took too long is for the server to say (57014). A caller
 * still gets its 503 within 5 s.
 */
const GRACE_MS = 500

/** The client's limit, for a server that does not answer at all; above the server's limit of a statement. */
export const answerWithinMs = (statementTimeoutMs: number): number => statementTimeoutMs + GRACE_MS

/**
 * Closes a connection that does not answer in time, so that all of its statements fail. The time begins with the answer before:
 * statements are pipelined, and pg's own `query_timeout`, which begins when a statement is sent, also counts its wait for others.
 */
export function answersOf(
  connection: ClientBase,
  statementTimeoutMs: number,
): <T>(ask: () => Promise<T>) => Promise<T> {
  let statements = 0
  let timer: NodeJS.Timeout | undefined
  const close = (): void => void connection.connection.stream.destroy()
  const begin = (): void => {
    clearTimeout(timer)
    if (statements > 0) timer = setTimeout(close, answerWithinMs(statementTimeoutMs))
  }
  return async (ask) => {
    statements += 1
    if (statements === 1) begin()
    try {
      return await ask()
    } finally {
      statements -= 1
      begin()
    }
  }
}
