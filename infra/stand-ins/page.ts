import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Escapes text for HTML element content and double-quoted attributes. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

export interface Page {
  readonly title: string
  /** HTML */
  readonly body: string
}

export function sendPage(res: ServerResponse, status: number, page: Page): void {
  res.writeHead(status, PAGE_HEADERS).end(renderPage(page))
}

/** As `sendPage`, for Fastify. */
export const replyPage = (reply: FastifyReply, status: number, page: Page): FastifyReply =>
  reply.code(status).headers(PAGE_HEADERS).send(renderPage(page))

export function renderPage(page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${page.body}
</main>
</body>
</html>
`
}

const STYLE = `
:root { --paper: #f5efe3; --sheet: #fffaf0; --ink: #1b1714; --soft: #6a5f54; --line: #d9cdb8; --record: #c2341a; --on-record: #fff8ec }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161311; --sheet: #221d19; --ink: #f3eadb; --soft: #b3a797; --line: #3a322b; --record: #ff7a52; --on-record: #161311 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 ui-sans-serif, system-ui, sans-serif }
main { max-width: 26rem; margin: 0 auto; padding: 32px 16px }
main:has(.wide) { max-width: 52rem }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 8px }
h2 { font-size: 1.1rem; margin: 0 0 4px; overflow-wrap: anywhere }
p { margin: 0 0 16px }
.soft { color: var(--soft) }
.error { border-left: 4px solid var(--record); padding: 4px 12px; font-weight: 600 }
form, .sheet { background: var(--sheet); border: 1.5px solid var(--ink); border-radius: 5px; padding: 20px; margin: 0 0 20px }
label { display: block; font-weight: 600; margin-bottom: 16px }
label.check { font-weight: 400 }
input:not([type=checkbox]) { display: block; width: 100%; min-height: 44px; margin-top: 4px; padding: 8px 12px; font: inherit; color: inherit; background: var(--paper); border: 1.5px solid var(--ink); border-radius: 4px }
input[type=checkbox] { width: 20px; height: 20px; margin: 0 8px 0 0; vertical-align: -4px; accent-color: var(--record) }
button { min-height: 44px; padding: 8px 24px; font: inherit; font-weight: 700; color: var(--on-record); background: var(--record); border: 0; border-radius: 4px; cursor: pointer }
button.quiet { color: var(--ink); background: none; border: 1.5px solid var(--ink) }
a { color: inherit; padding: 10px 0 }
.actions { display: flex; gap: 24px; align-items: center }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
iframe { display: block; width: 100%; height: 24rem; background: #fff; border: 1.5px solid var(--line); border-radius: 4px }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 12px 0 0 }
summary { cursor: pointer; padding: 8px 0 }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Content security policy of the stand-ins' pages: no scripts, no outside resources. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const
