import { type ClientErrorReport, MAX_CLIENT_ERROR_MESSAGE, webRoute } from '@prelude/contracts'

/** Words before a quoted name of code, which stays: "Cannot read properties of undefined (reading 'id')". */
const BEFORE_A_NAME = 'reading|setting|deleting|evaluating|property|execute|on'
const NAME = new RegExp(`\\b(${BEFORE_A_NAME}) ["'\`]([A-Za-z_$][\\w$.]*)["'\`]`, 'g')
/** Also without its end, which may be cut off. An apostrophe within a word begins no quote. */
const QUOTED = /"[^"]*("|$)|`[^`]*(`|$)|“[^”]*(”|$)|(?<!\w)'[^']*('(?!\w)|$)/g
const ADDRESS = /\b[a-z][a-z+.-]*:\/\/\S+|\S+@\S+|\?\S+/gi
/** UUIDs, numbers of accounts and phones, IP addresses. */
const NUMBER = /\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\+?\d[\d .:-]{2,}\d/gi
const REMOVED = '…'

/**
 * What may be kept of a browser's error: nothing that a person typed, no address of a page, a person or a machine. An engine
 * quotes values in its messages ("la la" is not valid JSON), so that quoted text goes too.
 */
export function reduceClientError(report: ClientErrorReport, publicUrl: string): ClientErrorReport {
  const { message, release, page, stack } = report
  return {
    message: reduceMessage(message.replaceAll(`${publicUrl}/assets/`, 'assets/')),
    release,
    page: webRoute(page),
    stack: stack && (ownFrames(stack, publicUrl) || undefined),
  }
}

function reduceMessage(message: string): string {
  const reduced = message
    .replace(NAME, '$1 $2')
    .replace(QUOTED, REMOVED)
    .replace(ADDRESS, REMOVED)
    .replace(NUMBER, REMOVED)
    .replace(/\s+/g, ' ')
    .trim()
  return Array.from(reduced || REMOVED)
    .slice(0, MAX_CLIENT_ERROR_MESSAGE)
    .join('')
}

/** `at render (https://…/assets/home-abc.js:1:234)` and `render@https://…` are `home-abc.js:1:234`. */
const ownFrames = (stack: string, publicUrl: string): string =>
  stack
    .split(`${publicUrl}/assets/`)
    .slice(1)
    .flatMap((text) => /^[\w-]+\.js:\d+:\d+/.exec(text)?.[0] ?? [])
    .join('\n')
