import { escape, type Page } from '../page.ts'

const TITLE = 'Sign in'

/** The sign-in page: one plain form; `filled` are the fields of a refused attempt. */
export function signInPage(options: { cancelUrl: string; filled?: URLSearchParams; error?: string }): Page {
  const value = (name: string): string => escape(options.filled?.get(name) ?? '')
  const body = `<h1>${TITLE}</h1>
<p class="soft">A stand-in for a real sign-in provider. Any address works, and the same address is always the same account.</p>
${options.error === undefined ? '' : `<p class="error" role="alert">${escape(options.error)}</p>`}
<form method="post">
<label>Email <input type="email" name="email" value="${value('email')}" required autocomplete="email" autofocus></label>
<label>Name <input type="text" name="name" value="${value('name')}" autocomplete="name"></label>
<label>Greeted as (optional) <input type="text" name="given_name" value="${value('given_name')}" autocomplete="given-name"></label>
<label>Photo address (optional) <input type="url" name="picture" value="${value('picture')}"></label>
<label class="check"><input type="checkbox" name="unverified" value="on"${options.filled?.get('unverified') === 'on' ? ' checked' : ''}>The address is not verified</label>
<div class="actions"><button type="submit">Continue</button> <a href="${escape(options.cancelUrl)}">Cancel</a></div>
</form>`
  return { title: TITLE, body }
}

export const failurePage = (sentence: string): Page => ({
  title: 'Sign-in failed',
  body: `<h1>Sign-in failed</h1>
<p class="error" role="alert">${escape(sentence)}</p>
<p>Close this page, or go back to where you came from, and sign in again.</p>`,
})
