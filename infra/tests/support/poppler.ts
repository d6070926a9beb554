import { execFileSync } from 'node:child_process'
import { findProgram } from '../servers/installed.ts'

/** A program of poppler (`pdftotext`, `pdfinfo`, …) on a PDF: what it writes. Errors: ServerMissing. */
export function poppler(
  program: string,
  pdf: Buffer,
  options: readonly string[],
  after: readonly string[] = [],
): Buffer {
  findProgram(program)
  return execFileSync(program, [...options, '-', ...after], { input: pdf, maxBuffer: 2 ** 26 })
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
