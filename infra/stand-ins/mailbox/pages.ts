import { escape, type Page } from '../page.ts'
import type { Message } from './message.ts'

const SHOWN = 100

export function mailboxPage(messages: readonly Message[], to: string | null): Page {
  const shown = messages.slice(0, SHOWN)
  const count =
    messages.length === 0
      ? 'No mail.'
      : `${messages.length} ${messages.length === 1 ? 'mail' : 'mails'}, newest first.`
  const more = messages.length > SHOWN ? ` The newest ${SHOWN} are shown.` : ''
  const body = `<div class="wide">
<h1>Mailbox</h1>
<p class="soft">Every mail this Prelude sends lands here instead of with its reader.</p>
<form method="get">
<label>Only mail to <input type="text" name="to" inputmode="email" value="${escape(to ?? '')}"></label>
<div class="actions"><button type="submit">Show</button> <a href="/">Show all</a></div>
</form>
<p>${count}${more}</p>
${shown.map(messageSheet).join('\n')}
</div>`
  return { title: 'Mailbox', body }
}

function messageSheet(message: Message): string {
  const at = new Date(message.date).toISOString()
  const subject = message.subject || '(no subject)'
  const html =
    message.html === null
      ? ''
      : `<details><summary>As it looks</summary><iframe title="${escape(subject)}" src="/messages/${message.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe></details>`
  return `<article class="sheet">
<h2>${escape(subject)}</h2>
<div class="soft">To ${escape(message.to.join(', '))} from ${escape(message.from)}, <time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time></div>
${message.text === null ? '' : `<pre>${escape(message.text)}</pre>`}
${html}
</article>`
}

/**
 * The HTML of a mail in a sandboxed frame: no scripts, forms or outside resources; links open in a new tab.
 */
export const MAIL_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

export const mailHtml = (html: string): string => `<!doctype html><base target="_blank">${html}`
