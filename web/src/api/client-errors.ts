import { type ClientErrorReport, MAX_CLIENT_ERROR_STACK } from '@prelude/contracts'
import { buildName } from '../browser/build.ts'
import { ApiProblem } from './client.ts'

const MOST_REPORTS = 5
/** The gateway keeps 200 characters of what it has reduced. */
const MAX_MESSAGE = 400
const reported = new Set<string>()

/** Errors that a person reads a sentence about, or that happen by leaving a page, are no faults of the app. */
const isExpected = (error: unknown): boolean =>
  error instanceof ApiProblem || (error instanceof DOMException && error.name === 'AbortError')

/** Reports an error to the operator: each once, some per page load. A report that fails is dropped. */
export function reportError(error: unknown): void {
  if (isExpected(error) || reported.size >= MOST_REPORTS) return
  const message = String(error).slice(0, MAX_MESSAGE) || 'unknown'
  if (reported.has(message)) return
  reported.add(message)
  const stack = error instanceof Error ? error.stack?.slice(0, MAX_CLIENT_ERROR_STACK) : undefined
  const report: ClientErrorReport = {
    message,
    release: buildName(),
    page: location.pathname,
    ...(stack !== undefined && { stack }),
  }
  fetch('/api/client-errors', {
    method: 'POST',
    keepalive: true, // also while the page is left
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
  }).catch(() => {})
}

/** Reports errors that nothing catches. What has no error object (a script of an extension, ResizeObserver's notice) is not ours. */
export function reportUncaughtErrors(): void {
  addEventListener('error', ({ error }) => {
    if (error instanceof Error) reportError(error)
  })
  addEventListener('unhandledrejection', ({ reason }) => reportError(reason))
}
