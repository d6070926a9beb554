import { type ChangesTerms, escapeHtml, markDirections } from '@prelude/contracts'

/** A mail before it is laid out: the same blocks become its text part and its HTML part. */
export interface MailContent {
  readonly to: string
  readonly subject: string
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, value: string])[] }
  /** A text that a person wrote, unabridged, with its line breaks. */
  | { readonly kind: 'verbatim'; readonly label: string; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }

/** Name, addresses and terms of this installation, as mails show them. `publicUrl` is the address of the web app. */
export interface MailBranding extends ChangesTerms {
  readonly brandName: string
  readonly publicUrl: string
  readonly supportEmail: string
  readonly operatorEmail: string
}

/** Null: a person without a name. */
export const greeting = (firstName: string | null): Block => ({
  kind: 'text',
  text: `Hi ${firstName ?? 'there'},`,
})

export const linkHome = (label: string, branding: MailBranding): Block => ({
  kind: 'link',
  label,
  url: new URL('/', branding.publicUrl).href,
})

/** The page of a song, where its owner finds everything about it. */
export const linkSong = (label: string, { id }: { readonly id: string }, branding: MailBranding): Block => ({
  kind: 'link',
  label,
  url: new URL(`/songs/${id}`, branding.publicUrl).href,
})

/** To the operator's page with this song open. */
export const linkDesk = (songId: string, branding: MailBranding): Block => ({
  kind: 'link',
  label: 'Open the request',
  url: new URL(`/operator?song=${songId}`, branding.publicUrl).href,
})

/** A subject is one line, whatever a name contains: a line break would start another header. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** The first `length` code points on one line, then an ellipsis. */
export function excerpt(text: string, length: number): string {
  const characters = Array.from(oneLine(text))
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : characters.join('')
}

/** `optional`: with the way to switch such mails off. */
export function layOut(
  mail: MailContent,
  branding: MailBranding,
  { optional = false } = {},
): { subject: string; text: string; html: string; unsubscribeUrl?: string } {
  // the operator reads texts of people
  const shown = mail.to === branding.operatorEmail ? markDirections : (text: string) => text
  const subject = shown(oneLine(mail.subject))
  const footer = `${branding.brandName} · Questions? Write to ${branding.supportEmail}`
  const unsubscribeUrl = new URL('/preferences', branding.publicUrl).href
  const [stopText, stopHtml] = optional
    ? [
        `${SWITCH_OFF}: ${unsubscribeUrl}\n`,
        ` · <a href="${escapeHtml(unsubscribeUrl)}" style="color:${INK}">${SWITCH_OFF}</a>`,
      ]
    : ['', '']
  return {
    subject,
    text: shown(`${mail.blocks.map(asText).join('\n\n')}\n\n-- \n${footer}\n${stopText}`),
    html: shown(page(subject, mail.blocks.map(asHtml).join('\n'), escapeHtml(footer) + stopHtml, branding)),
    ...(optional && { unsubscribeUrl }),
  }
}

function asText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text
    case 'facts':
      return block.facts.map(([label, value]) => `${label}: ${oneLine(value)}`).join('\n')
    case 'verbatim':
      return `${block.label}:\n${block.text}`
    case 'link':
      return `${block.label}: ${block.url}`
  }
}

const SWITCH_OFF = 'Switch these mails off'
const PAPER = '#F5EFE3'
const INK = '#1B1714'
const RECORD = '#C2341A'
const LABEL = `style="margin:0 0 4px;font-size:13px;letter-spacing:.04em;color:${RECORD}"`

function asHtml(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `<p style="margin:0 0 16px">${escapeHtml(block.text)}</p>`
    case 'facts':
      return `<p style="margin:0 0 16px">${block.facts
        .map(([label, value]) => `<b>${escapeHtml(label)}:</b> ${escapeHtml(oneLine(value))}`)
        .join('<br>\n')}</p>`
    case 'verbatim':
      return `<p ${LABEL}>${escapeHtml(block.label)}</p>
<p style="margin:0 0 16px;padding:0 0 0 12px;border-left:2px solid ${RECORD};white-space:pre-wrap">${escapeHtml(block.text)}</p>`
    case 'link':
      return `<p style="margin:24px 0"><a href="${escapeHtml(block.url)}" style="display:inline-block;padding:12px 20px;background:${RECORD};color:${PAPER};text-decoration:none">${escapeHtml(block.label)}</a></p>`
  }
}

/** Mail programs drop style sheets, so all style is inline. */
const page = (title: string, body: string, footer: string, branding: MailBranding): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:0;background:${PAPER}">
<div style="max-width:560px;margin:0 auto;padding:32px 24px;color:${INK};font:16px/1.5 Georgia,'Times New Roman',serif">
<p style="margin:0 0 24px;font-size:20px;color:${RECORD}">${escapeHtml(branding.brandName)}</p>
${body}
<p style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid ${INK};font-size:13px">${footer}</p>
</div>
</body>
</html>
`
