import pg from 'pg'
import { AppError, safeMessage, safeStack, TimedOut, Unavailable } from '../errors.ts'

/** The five-letter code of an error of the server, or of the system (`ECONNREFUSED`). */
export const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

/**
 * Connection refused, lost, unusable or silent; server starting or stopping; too many connections; a server that only reads
 * (25006), which was the primary before a failover: a new connection may reach the one that is. A connection that it happened on
 * must not be used again.
 */
export const breaksConnection = (error: unknown): boolean =>
  /^(08...|57P0.|53300|25P03|25006|E[A-Z]+)$/.test(sqlState(error) ?? '') ||
  /Connection terminated|connection error|Client has encountered|timeout exceeded when trying to connect|timeout expired|Query read timeout/i.test(
    messageOf(error),
  )

/** The server has no disk space, memory or file left, or cannot read its files. It may answer the same statement later. */
const isPassing = (error: unknown): boolean => /^(53...|58...)$/.test(sqlState(error) ?? '')

/** One statement exceeded its limit of time (57014) or of waiting for a lock (55P03), says the server. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof TimedOut || ['57014', '55P03'].includes(sqlState(error) ?? '')

/** What a caller of the port sees: Unavailable, TimedOut, or the server's own error without the values that it quotes. */
export function portError(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (error instanceof pg.DatabaseError) removeValues(error)
  if (isTimeout(error)) return new TimedOut('the database', error)
  return breaksConnection(error) || isPassing(error) ? new Unavailable('the database', error) : error
}

function removeValues(error: pg.DatabaseError): void {
  delete error.detail // the failing row
  delete error.where // the parameters
  const [message, stack] = [safeMessage(error), safeStack(error)]
  Object.assign(error, { message, stack })
}
