import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A program of poppler (`pdftotext`, `pdfinfo`, …) on a PDF: what it writes. Installed where it is missing, as root on Debian. */
export function poppler(
  program: string,
  pdf: Buffer,
  options: readonly string[],
  after: readonly string[] = [],
): Buffer {
  if (spawnSync('pdftotext', ['-v']).error) install()
  return execFileSync(program, [...options, '-', ...after], { input: pdf, maxBuffer: 2 ** 26 })
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('No poppler here. Install it (Debian: apt-get install poppler-utils).')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '-qq', 'poppler-utils'], { env, stdio: 'ignore' })
}

/** The text of a PDF, as it is laid out. */
export const textOf = (pdf: Buffer): string => String(poppler('pdftotext', pdf, ['-layout'], ['-']))

/** A page of a PDF as pixels. */
export function pixelsOf(pdf: Buffer): { data: Uint8ClampedArray; width: number; height: number } {
  const pgm = poppler('pdftoppm', pdf, ['-gray', '-r', '150', '-singlefile'])
  const [header = '', width = '', height = ''] =
    /^P5\s(\d+)\s(\d+)\s\d+\s/.exec(pgm.toString('latin1', 0, 64)) ?? []
  const grey = pgm.subarray(header.length)
  const data = new Uint8ClampedArray(grey.length * 4)
  grey.forEach((value, at) => data.set([value, value, value, 255], at * 4))
  return { data, width: Number(width), height: Number(height) }
}
