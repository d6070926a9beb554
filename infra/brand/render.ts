import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../tests/e2e/browser.ts'

/** Draws the icons, the social image and the picture of mails from the mark: `node infra/brand/render.ts`. They are committed. */

const PUBLIC = join(import.meta.dirname, '../../web/public')
const FONT = join(import.meta.dirname, '../../web/src/fonts/bricolage-condensed.woff2')
const MARK = readFileSync(join(import.meta.dirname, 'mark.svg'), 'utf8')

/** How much of the square the mark fills: a maskable icon may lose everything outside its inner 80 %. */
const ICONS = [
  { file: 'icon-192.png', size: 192, fills: 0.72, round: true },
  { file: 'icon-512.png', size: 512, fills: 0.72, round: true },
  { file: 'icon-maskable-512.png', size: 512, fills: 0.52, round: false },
  { file: 'apple-touch-icon.png', size: 180, fills: 0.64, round: false },
] as const

const browser = await launchBrowser()

async function draw(file: string, html: string, width: number, height: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(html)
  await page.evaluate(() => document.fonts.ready)
  writeFileSync(join(PUBLIC, file), await page.screenshot({ omitBackground: true }))
  await page.close()
}

for (const { file, size, fills, round } of ICONS) {
  const paper = `background:#f5efe3;border-radius:${round ? size * 0.18 : 0}px`
  const html = `<body style="margin:0"><div style="width:${size}px;height:${size}px;display:grid;place-items:center;${paper}"><div style="width:${size * fills}px;display:grid">${MARK}</div></div>`
  await draw(file, html, size, size)
}
const social = readFileSync(join(import.meta.dirname, 'social.html'), 'utf8')
  .replace('FONT', `data:font/woff2;base64,${readFileSync(FONT).toString('base64')}`)
  .replace('MARK', MARK)
await draw('social.png', social, 1200, 630)
// of mails; in dark mode too the lines stand on the paper of the cassette
const mailMark = MARK.replace('rx="3"', 'rx="3" fill="#fffaf0"')
await draw('mail-cassette.png', `<body style="margin:0"><div style="width:204px">${mailMark}</div>`, 204, 144)
await browser.close()
