import { type CertifiedFile, madeText, markDirections, oneLine } from '@prelude/contracts'
import PdfDocument from 'pdfkit'
import qrcode from 'qrcode'
import { coverPng } from './cover.ts'
import { type FontFile, type Fonts, loadFonts, type Typeface } from './fonts.ts'
import { type Certified, COVER } from './task.ts'
import { inGlyphs, layOut } from './text.ts'

type Document = InstanceType<typeof PdfDocument>

/** Points, 72 an inch; the page is A4, and its insert a frame with the cover at its top. */
const PAGE = { width: 595.28, height: 841.89, margin: 66 }
const WIDTH = PAGE.width - 2 * PAGE.margin
const INSERT = { edge: 34, width: PAGE.width - 68, height: PAGE.height - 68, corner: 6, cover: 150 }
/** The side of the QR code. */
const CODE = 88
const SHEET = '#fffaf0'
const INK = '#1b1714'
const SOFT = '#6a5f54'
const LINE = '#d9cdb8'
const TAKES = { 1: '#c2341a', 2: '#1f5e5b' } as const

const ALLOWED =
  'This song belongs to you and may be used commercially: release it, perform it, pitch it, sell it.'
const NO_REGISTRATION =
  'This is a permission. It is no registration of a copyright, at any office or collecting society.'
const LATIN = 'Letters and signs that this page has no font for are written in Latin letters.'
const NAME = 'The name is that of the account when this was printed. The check does not cover it.'

/** One page for people and printers: tagged, with embedded fonts and text that can be selected. */
export async function certificatePdf(certified: Certified): Promise<Buffer> {
  const fonts = await loadFonts()
  const { brand, title } = certified
  const doc = new PdfDocument({
    size: 'A4',
    margin: PAGE.margin,
    font: '', // no Helvetica, which would not be embedded
    lang: 'en',
    pdfVersion: '1.7',
    // the types do not know this one yet
    subset: 'PDF/UA' as 'PDF/A-1',
    tagged: true,
    displayTitle: true,
    info: {
      Title: `Licence · ${markDirections(title)}`,
      Author: brand,
      CreationDate: new Date(certified.issuedAt),
    },
  })
  const chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => chunks.push(chunk))
  const done = new Promise((resolve, reject) => doc.once('end', resolve).once('error', reject))
  drawPage(doc, fonts, certified)
  doc.end()
  await done
  return Buffer.concat(chunks)
}

/** Draws from the top to the bottom; each part answers where the next one begins. */
function drawPage(doc: Document, fonts: Fonts, certified: Certified): void {
  const whole = doc.struct('Document')
  doc.addStructure(whole)
  const pen = penOf(doc, fonts, whole)
  drawInsert(doc, pen, certified.songId)
  let y = INSERT.edge + INSERT.cover + 20
  const code = { x: PAGE.margin + WIDTH - CODE, y, side: CODE }
  y = pen.write('P', certified.brand, y, { size: 11, colour: SOFT, width: WIDTH - CODE })
  y = pen.write('H1', 'Licence', y, { face: fonts.bold, size: 32, width: WIDTH - CODE })
  drawCode(doc, pen, certified.url, code)
  y = pen.rule(Math.max(y, code.y + CODE) + 16)
  y = pen.field('Song', certified.title, y)
  y = pen.field('Issued to', certified.name, y)
  const beside = { x: PAGE.margin + LABEL_WIDTH, width: WIDTH - LABEL_WIDTH }
  y = pen.write('P', NAME, y, { size: 9, colour: SOFT, ...beside }) + 4
  if (pen.isLatinised(certified.title) || pen.isLatinised(certified.name))
    y = pen.write('P', LATIN, y, { size: 9, colour: SOFT, ...beside }) + 4
  y = pen.field('Date', dateOf(certified.issuedAt), y)
  y = pen.field('Certificate', certified.id, y, fonts.mono)
  y = pen.rule(y + 8)
  y = pen.write('H2', 'The files', y, { face: fonts.bold, size: 13 }) + 4
  const isStated = certified.files.some(({ made }) => made)
  for (const file of certified.files) y = drawFile(pen, fonts, { file, isStated }, y)
  y = pen.rule(y + 4)
  y = pen.write('H2', 'What is allowed', y, { face: fonts.bold, size: 13 }) + 4
  y = pen.write('P', ALLOWED, y, { size: 11 }) + 6
  y = pen.write('P', NO_REGISTRATION, y, { size: 11, colour: SOFT })
  y = pen.rule(y + 12)
  y = pen.write('H2', 'Check it', y, { face: fonts.bold, size: 13 }) + 4
  const how = 'This page says whether the licence holds, and whether a file is the one that it is about:'
  y = pen.write('P', how, y, { size: 10 }) + 2
  pen.write('P', certified.url, y, { face: fonts.mono, size: 9, link: certified.url })
}

/** The frame, like the paper insert of a cassette, and the middle of the song's cover over its whole width. */
function drawInsert(doc: Document, pen: Pen, songId: string): void {
  const { edge, width, height, corner, cover } = INSERT
  const frame = () => doc.roundedRect(edge, edge, width, height, corner)
  pen.artifact(() => frame().fill(SHEET))
  pen.figure('The cover of the song', () => {
    doc.save()
    frame().clip()
    doc.rect(edge, edge, width, cover).clip()
    const options = { width, height: (width * COVER.height) / COVER.width }
    doc.image(coverPng(songId), edge, edge - (options.height - cover) / 2, options)
    doc.restore()
  })
  pen.artifact(() => {
    doc.lineWidth(1.2).strokeColor(INK)
    doc.moveTo(edge, edge + cover).lineTo(edge + width, edge + cover)
    frame().stroke()
  })
}

function drawFile(
  pen: Pen,
  fonts: Fonts,
  { file: { version, take, sha256, durationMs, made }, isStated }: { file: CertifiedFile; isStated: boolean },
  y: number,
): number {
  const colour = TAKES[version]
  const line = `Version ${version}, take ${take}, ${durationOf(durationMs)}`
  let next = pen.write('P', line, y, { face: fonts.bold, size: 11, colour }) + 1
  if (isStated) next = pen.write('P', madeText(made), next, { size: 10 }) + 1
  return pen.write('P', `SHA-256 ${sha256}`, next, { face: fonts.mono, size: 10 }) + 10
}

interface Writing {
  readonly size: number
  readonly face?: Typeface
  readonly colour?: string
  readonly x?: number
  readonly width?: number
  readonly link?: string
}

type Pen = ReturnType<typeof penOf>

const MOST_LINES = 3
const LABEL_WIDTH = 92

function penOf(doc: Document, fonts: Fonts, whole: PDFKit.PDFStructureElement) {
  // the document embeds each name once
  const names = new Map<FontFile, string>()
  for (const file of Object.values(fonts).flat()) {
    names.set(file, `font-${names.size}`)
    doc.registerFont(names.get(file) ?? '', file.bytes)
  }
  const use = (file: FontFile): Document => doc.font(names.get(file) ?? '')
  /** Answers where the next line begins. */
  const write = (tag: string, said: string, top: number, writing: Writing): number => {
    const { size, face = fonts.text, colour = INK, x = PAGE.margin, width = WIDTH, link } = writing
    const text = plain(said)
    const drawn = inGlyphs(text, face)
    const lines = layOut(drawn, face, { size, width, most: MOST_LINES })
    const step = size * 1.4
    const draw = (): void => {
      doc.fillColor(colour).fontSize(size)
      if (drawn !== text) doc.markContent('Span', { actual: text })
      lines.forEach(({ runs }, at) => {
        let left = x
        for (const { file, text: part } of runs) {
          use(file).text(part, left, top + at * step + size, {
            lineBreak: false,
            features: [],
            baseline: 'alphabetic',
          })
          left += (file.font.layout(part).advanceWidth / file.font.unitsPerEm) * size
        }
      })
      if (drawn !== text) doc.endMarkedContent()
    }
    // as it is read: what is drawn are glyphs, in the order of the page
    whole.add(doc.struct(tag, { actual: text }, draw))
    if (link !== undefined) doc.link(x, top, width, lines.length * step, link)
    return top + lines.length * step
  }
  /** Drawn, and not read. */
  const artifact = (draw: () => unknown): void => {
    doc.markContent('Artifact', { type: 'Layout' })
    draw()
    doc.endMarkedContent()
  }
  return {
    write,
    isLatinised: (said: string): boolean =>
      inGlyphs(plain(said), fonts.text) !== plain(said).normalize('NFC'),
    field(label: string, value: string, top: number, face = fonts.text): number {
      write('P', label, top + 1, { size: 10, colour: SOFT })
      const beside = { x: PAGE.margin + LABEL_WIDTH, width: WIDTH - LABEL_WIDTH }
      return write('P', value, top, { face, size: 11, ...beside }) + 4
    },
    figure(alt: string, draw: () => void): void {
      whole.add(doc.struct('Figure', { alt }, draw))
    },
    artifact,
    rule(y: number): number {
      artifact(() =>
        doc
          .lineWidth(1)
          .strokeColor(LINE)
          .moveTo(PAGE.margin, y)
          .lineTo(PAGE.margin + WIDTH, y)
          .stroke(),
      )
      return y + 14
    },
  }
}

function drawCode(doc: Document, pen: Pen, url: string, at: { x: number; y: number; side: number }): void {
  const { modules } = qrcode.create(url, { errorCorrectionLevel: 'M' })
  const unit = at.side / modules.size
  pen.figure(`A QR code of the address ${url}`, () => {
    modules.data.forEach((isDark, index) => {
      const [column, row] = [index % modules.size, Math.floor(index / modules.size)]
      if (isDark) doc.rect(at.x + column * unit, at.y + row * unit, unit, unit)
    })
    doc.fill(INK)
  })
}

/** One line, without what changes the direction of the text around it. */
const plain = (text: string): string => oneLine(markDirections(text))

const dateOf = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(at)

/** Minutes and seconds. */
const durationOf = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
