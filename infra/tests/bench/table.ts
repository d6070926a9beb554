import type { Row } from './work.ts'

/** The report as a Markdown table. */
export function printTable(rows: readonly Row[]): string {
  const cells = [
    ['work', 'product', 'baseline', 'ratio', 'goal', ''],
    ...rows.map((row) => [
      row.work,
      row.product,
      row.baseline ?? '',
      row.ratio?.toFixed(2) ?? '',
      row.goal,
      row.goal === '' ? '' : row.met ? 'met' : 'missed',
    ]),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)))
  const dashes = widths.map((width) => '-'.repeat(width))
  return cells
    .toSpliced(1, 0, dashes)
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
    .join('\n')
}
