import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { startBaseline } from './baseline/start.ts'
import { startBenchProduct } from './product.ts'
import { printTable } from './table.ts'
import type { Row, Work } from './work.ts'
import { album } from './works/album.ts'
import { audio } from './works/audio.ts'
import { cost } from './works/cost.ts'
import { delivery } from './works/delivery.ts'
import { desk } from './works/desk.ts'
import { distributed } from './works/distributed.ts'
import { firstPage } from './works/first-page.ts'
import { idle } from './works/idle.ts'
import { library } from './works/library.ts'
import { list } from './works/list.ts'
import { live } from './works/live.ts'
import { restart } from './works/restart.ts'
import { songPages } from './works/song-pages.ts'
import { submit } from './works/submit.ts'

/** `make bench`: every benchmark beside its baseline in one run, as a table and as artifacts/bench.json. `ONLY=list,live` picks. */
const WORKS: readonly Work[] = [
  ...[idle, firstPage, songPages, album, desk, delivery, restart, list, library],
  ...[live, cost, submit, audio, distributed],
]
const REPORT = new URL('../../../artifacts/', import.meta.url)

const only = (process.env['ONLY'] ?? '').split(',').filter(Boolean)
const chosen = WORKS.filter(({ name }) => only.length === 0 || only.includes(name))
if (chosen.length === 0) {
  process.stderr.write(`ONLY picks from: ${WORKS.map(({ name }) => name).join(', ')}.\n`)
  process.exit(1)
}

const rows: Row[] = []
{
  await using baseline = await startBaseline()
  await using product = await startBenchProduct()
  for (const work of chosen) {
    process.stderr.write(`${work.name}…\n`)
    const measured = await work.run({ product, baseline })
    process.stderr.write(`${printTable(measured)}\n\n`)
    rows.push(...measured)
  }
  process.stdout.write(product.process.checkInvariants())
}
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
process.stdout.write(`\n${machine}\n${printTable(rows)}\n`)
await mkdir(REPORT, { recursive: true })
await writeFile(new URL('bench.json', REPORT), JSON.stringify({ machine, rows }, null, 2))
