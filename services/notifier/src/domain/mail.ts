import {
  type ChangesTerms,
  escapeHtml,
  type Language,
  markDirections,
  oneLine,
  type Person,
  type Song,
  THREAD_ELEMENT,
  withLineFeeds,
} from '@prelude/contracts'
import { DEFAULT_READER, type Reader, wordsFor } from './reader.ts'
import type { Words } from './words/en.ts'

/** A mail before it is laid out: the same blocks become its text part and its HTML part. */
export interface MailContent {
  readonly to: string
  /** Where an answer goes; without it, to the product's own address. */
  readonly replyTo?: string
  /** English, as for the operator, unless it is given. */
  readonly language?: Language
  readonly subject: string
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, value: string])[] }
  /** A text that a person wrote, with its line breaks. Unabridged in the text part. */
  | { readonly kind: 'verbatim'; readonly label: string; readonly text: string }
  | Link

/** The first one of a mail is its button. */
export interface Link {
  readonly kind: 'link'
  readonly label: string
  readonly url: string
}

export const paragraph = (text: string): Block => ({ kind: 'text', text })
export const verbatim = (label: string, text: string): Block => ({ kind: 'verbatim', label, text })
export const factTable = (...facts: readonly (readonly [label: string, value: string])[]): Block => ({
  kind: 'facts',
  facts,
})
/** To a page of the web app. */
export const link = (label: string, path: string, { publicUrl }: MailBranding): Link => ({
  kind: 'link',
  label,
  url: new URL(path, publicUrl).href,
})

/** Name, addresses and terms of this installation, as mails show them. `publicUrl` is the address of the web app. */
export interface MailBranding extends ChangesTerms {
  readonly brandName: string
  readonly publicUrl: string
  readonly supportEmail: string
  readonly operatorEmail: string
}

/** The operator's answer goes to the person whom the mail is about. */
export const toOperator = (
  { operatorEmail }: MailBranding,
  person: { readonly email: string } | undefined,
): Pick<MailContent, 'to' | 'replyTo'> => ({
  to: operatorEmail,
  ...(person && { replyTo: person.email }),
})

/** In their language, with a greeting. */
export const toPerson = (
  { email, firstName }: Pick<Person, 'email' | 'firstName'>,
  { language }: Pick<Reader, 'language'>,
  { subject, blocks }: Pick<MailContent, 'subject' | 'blocks'>,
): MailContent => ({
  to: email,
  language,
  subject,
  blocks: [paragraph(wordsFor({ language }).hi(firstName)), ...blocks],
})

export const linkHome = (label: string, branding: MailBranding): Block => link(label, '/', branding)

/** The operator's panel is on the home page. */
export const linkPanel = (branding: MailBranding): Block => linkHome('Open the operator panel', branding)

/** Who a mail to the operator is about. */
export const personFacts = ({ name, email }: Person): [label: string, value: string][] => [
  ['Name', name ?? 'Anonymous'],
  ['E-mail', email],
]

/** The page of a song, where its owner finds everything about it. */
export const linkSong = (label: string, { id }: { readonly id: string }, branding: MailBranding): Link =>
  link(label, `/songs/${id}`, branding)

/** To the operator's page with this song open. */
export const linkDesk = (songId: string, branding: MailBranding, label = 'Open the request'): Link =>
  link(label, `/operator?song=${songId}`, branding)

/** To the messages of the page. */
export const toThread = (page: Link): Link => ({ ...page, url: `${page.url}#${THREAD_ELEMENT}` })

const MAX_SONG = 35

/** What a song is called in subjects: the beginning of its title, else of its style. */
export const calledIn = ({ title, style }: Pick<Song, 'title' | 'style'>): string =>
  excerpt(title ?? style, MAX_SONG)

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
  const { language = DEFAULT_READER.language } = mail
  const words = wordsFor({ language })
  // a line break would start another header
  const subject = shown(oneLine(mail.subject))
  const footer = `${branding.brandName} · ${words.questions(branding.supportEmail)}`
  const unsubscribeUrl = new URL('/preferences', branding.publicUrl).href
  const footerHtml = optional
    ? `${escapeHtml(footer)} · ${anchor({ label: words.switchOff, url: unsubscribeUrl }, 'soft', SOFT)}`
    : escapeHtml(footer)
  const stop = optional ? `${words.switchOff}: ${unsubscribeUrl}\n` : ''
  return {
    subject,
    text: shown(`${mail.blocks.map(asText).join('\n\n')}\n\n-- \n${footer}\n${stop}`),
    html: shown(page({ subject, language, words, rows: rowsOf(mail.blocks), footer: footerHtml }, branding)),
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
      return `${block.label}:\n${withLineFeeds(block.text)}`
    case 'link':
      return `${block.label}: ${block.url}`
  }
}

/**
 * The HTML part is made of tables with inline styles and `<br>`: Outlook, which draws with Word, knows no flex, no `max-width`,
 * no `white-space` and no padding outside table cells. The style sheet is for dark mode alone.
 */
const PAPER = '#F5EFE3'
const SHEET = '#FFFAF0'
const INK = '#1B1714'
const SOFT = '#6A5F54'
const LINE = '#D9CDB8'
const RECORD = '#C2341A'
const ON_RECORD = '#FFF8EC'
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const TEXT = `${FONT};font-size:16px;line-height:24px;color:${INK}`
const SMALL = `${FONT};font-size:13px;line-height:20px;color:${SOFT}`
const DARK = `.paper{background:#161311!important}.sheet{background:#221D19!important;border-color:#3A322B!important}.ink{color:#F3EADB!important}.soft{color:#B3A797!important}.line{border-color:#3A322B!important}.button{background:#FF7A52!important}.on{color:#161311!important}`

/** Gmail cuts a longer message off, with what stands at its end. */
const MAX_HTML_BYTES = 60_000
const MAX_CUT = 200

/** The rows of the blocks; once they are long, the texts of people are cut. */
function rowsOf(blocks: readonly Block[]): string {
  let bytes = 0
  let button = true
  return blocks
    .map((block) => {
      const whole = asHtml(block, button)
      const isLong = bytes + Buffer.byteLength(whole) > MAX_HTML_BYTES
      const row =
        isLong && block.kind === 'verbatim'
          ? asHtml({ ...block, text: excerpt(block.text, MAX_CUT) }, button)
          : whole
      bytes += Buffer.byteLength(row)
      button &&= block.kind !== 'link'
      return row
    })
    .join('\n')
}

/** Of the first letter that has a direction: programs that show mails have no `dir="auto"`. */
const directionOf = (text: string): string =>
  /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    text,
  )
    ? ' dir="rtl"'
    : ''

const row = (content: string, style: string, attributes = ''): string =>
  `<tr><td class="ink"${attributes} style="${style};${TEXT};word-break:break-word">${content}</td></tr>`

const lines = (text: string): string => escapeHtml(withLineFeeds(text)).replaceAll('\n', '<br>\n')

const anchor = ({ label, url }: { label: string; url: string }, tone: string, colour: string): string =>
  `<a class="${tone}" href="${escapeHtml(url)}" style="color:${colour}">${escapeHtml(label)}</a>`

function asHtml(block: Block, button: boolean): string {
  switch (block.kind) {
    case 'text':
      return row(lines(block.text), 'padding:0 24px 16px')
    case 'facts':
      return row(block.facts.map(fact).join('<br>\n'), 'padding:0 24px 16px')
    case 'verbatim':
      return `<tr><td class="soft" style="padding:0 24px 4px;${SMALL}">${escapeHtml(block.label)}</td></tr>
<tr><td style="padding:0 24px 20px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${row(spaced(lines(block.text)), `padding:4px 12px;border-left:3px solid ${RECORD}`, directionOf(block.text))}
</table></td></tr>`
    case 'link':
      return button
        ? `<tr><td style="padding:8px 24px 24px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="button" bgcolor="${RECORD}" style="padding:12px 20px;border-radius:5px;background:${RECORD}"><a class="on" href="${escapeHtml(block.url)}" style="${FONT};font-size:16px;line-height:24px;font-weight:600;color:${ON_RECORD};text-decoration:none">${escapeHtml(block.label)}</a></td>
</tr></table></td></tr>`
        : row(anchor(block, 'ink', INK), 'padding:0 24px 16px')
  }
}

/** Spaces at the beginning of a line, and several in a row, as they were written. */
const spaced = (html: string): string => html.replace(/^ |(?<= ) /gm, '&nbsp;')

const fact = ([label, value]: readonly [string, string]): string =>
  `<span class="soft" style="color:${SOFT}">${escapeHtml(label)}:</span> <span${directionOf(value)}>${escapeHtml(oneLine(value))}</span>`

interface Page {
  readonly subject: string
  readonly language: Language
  readonly words: Words
  readonly rows: string
  readonly footer: string
}

const page = (
  { subject, language, words, rows, footer }: Page,
  { brandName, publicUrl }: MailBranding,
): string => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>@media (prefers-color-scheme:dark){${DARK}}</style></head>
<body class="paper" style="margin:0;padding:0;background:${PAPER}">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${PAPER}" style="background:${PAPER}"><tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" align="center" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${SHEET}" style="max-width:560px;text-align:left;background:${SHEET};border:1px solid ${LINE};border-radius:6px">
<tr><td style="padding:24px 24px 20px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td><img src="${escapeHtml(new URL('/mail-cassette.png', publicUrl).href)}" width="68" height="48" alt="${escapeHtml(words.picture)}" style="display:block;border:0"></td>
<td class="ink" style="padding:0 0 0 16px;${TEXT};font-size:20px;font-weight:700">${escapeHtml(brandName)}</td>
</tr></table></td></tr>
${rows}
<tr><td class="soft line" style="padding:16px 24px 20px;border-top:1px solid ${LINE};${SMALL}">${footer}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`
