import { createHash } from 'node:crypto'
import { Resvg } from '@resvg/resvg-js'
import { COVER } from './task.ts'

const INK = '#1b1714'
/** The app's papers, and the colours of its takes. */
const PAPERS = ['#f5efe3', '#efe2cc', '#e6ebe2', '#f3ded3', '#e3e6ec']
const TAPES = ['#c2341a', '#1f5e5b', '#8a5a00', '#3b4a7a', '#7a2f55']
const BARS = 56
/** The cover of a song: the app's cassette, in colours and with a wave that follow from the song's id. */
export const coverPng = (songId: string): Buffer =>
  new Resvg(drawCover(songId), { font: { loadSystemFonts: false } }).render().asPng()

function drawCover(songId: string): string {
  // two hashes: a byte for each bar
  const bytes = ['colours', 'wave'].flatMap((part) => [
    ...createHash('sha256').update(`${part} ${songId}`).digest(),
  ])
  const byte = (at: number): number => bytes[at] ?? 0
  const paper = PAPERS[byte(0) % PAPERS.length]
  const left = byte(1) % TAPES.length
  const right = (left + 1 + (byte(2) % (TAPES.length - 1))) % TAPES.length
  const wave = Array.from({ length: BARS }, (_, bar) => {
    const height = 12 + (byte(8 + bar) / 255) ** 1.7 * 96
    return `<rect x="${40 + bar * 20}" y="${548 - height / 2}" width="12" height="${height}" rx="6"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${COVER.width}" height="${COVER.height}">
<rect width="100%" height="100%" fill="${paper}"/>
<g fill="${TAPES[left]}">${wave.join('')}</g>
${cassette(TAPES[left] ?? INK, TAPES[right] ?? INK, byte(3) % 60)}
</svg>`
}

/** As the app draws it (web/src/ui/cassette.tsx). */
const cassette = (left: string, right: string, turn: number): string =>
  `<g transform="translate(260 28) scale(2)" fill="none" stroke="${INK}" stroke-width="2.5" stroke-linejoin="round">
<rect x="2" y="2" width="336" height="212" rx="12" fill="#fffaf0"/>
<path d="M74 213l14-46h164l14 46"/>
<rect x="26" y="22" width="288" height="126" rx="6" fill="#f5efe3"/>
<path d="M26 52h288"/>
<rect x="76" y="66" width="188" height="64" rx="32" fill="#fffaf0"/>
<path d="M150 82h40v32h-40z"/>
<circle cx="112" cy="98" r="22" fill="${left}"/>
<circle cx="228" cy="98" r="22" fill="${right}"/>
${teeth(112, turn)}${teeth(228, turn)}
<path d="M46 38h150" stroke="${right}" stroke-width="5" stroke-linecap="round"/>
<path d="M46 38h92" stroke="${left}" stroke-width="5" stroke-linecap="round"/>
</g>`

const teeth = (x: number, turn: number): string =>
  [0, 60, 120, 180, 240, 300]
    .map(
      (angle) =>
        `<path d="M${x} 88v-5" stroke="#fff8ec" stroke-width="4" stroke-linecap="round" transform="rotate(${angle + turn} ${x} 98)"/>`,
    )
    .join('')
