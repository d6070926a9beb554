import { createHash } from 'node:crypto'
import { escapeHtml, PROBLEMS, SESSION_CHANNEL, type SessionMessage } from '@prelude/contracts'
import type { FastifyReply } from 'fastify'
import { SENT, type Sent } from '../api/sent.ts'

export const SIGN_IN_FAILURES = ['signin_failed', 'email_not_verified'] as const
type SignInFailure = (typeof SIGN_IN_FAILURES)[number]

/** The page's only script: broadcasts to the other tabs of this origin, then closes. */
const SCRIPT = `
const { message, closeMs } = document.body.dataset
const channel = new BroadcastChannel('${SESSION_CHANNEL}')
channel.postMessage(JSON.parse(message))
channel.close()
setTimeout(() => window.close(), Number(closeMs))
`
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64')
/** The page that opened the popup shows the sentence too, and for longer. */
const GLANCE_MS = 1_500

/** No session was made: the app, or the popup's page, shows the sentence. */
export function failSignIn(reply: FastifyReply, mode: 'popup' | 'redirect', code: SignInFailure): Sent {
  if (mode === 'redirect') return redirect(reply, `/?signin=${code}`)
  return popupPage(reply, {
    message: { type: 'sign-in-failed', code },
    text: PROBLEMS[code].detail,
    closeMs: GLANCE_MS,
  })
}

export function finishSignIn(reply: FastifyReply, mode: 'popup' | 'redirect', returnTo: string): Sent {
  if (mode === 'redirect') return redirect(reply, returnTo)
  return popupPage(reply, {
    message: { type: 'signed-in' },
    text: 'You are signed in.',
    closeMs: 0,
    returnTo,
  })
}

function popupPage(
  reply: FastifyReply,
  page: { message: SessionMessage; text: string; closeMs: number; returnTo?: string },
): Sent {
  const message = escapeHtml(JSON.stringify(page.message))
  void reply
    .code(200)
    .header(
      'content-security-policy',
      `default-src 'none';script-src 'sha256-${SCRIPT_HASH}';base-uri 'none';form-action 'none';frame-ancestors 'none'`,
    )
    .type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sign in</title></head>
<body data-message="${message}" data-close-ms="${page.closeMs}">
<p role="status">${escapeHtml(page.text)}</p>
<p><a href="${escapeHtml(page.returnTo ?? '/')}">Continue</a></p>
<script>${SCRIPT}</script>
</body>
</html>
`)
  return SENT
}

export function redirect(reply: FastifyReply, address: string): Sent {
  void reply.redirect(address, 302)
  return SENT
}
