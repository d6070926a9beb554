import type { Song } from '@prelude/contracts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../e2e/browser.ts'
import { startBenchProduct, untilDecided } from '../product.ts'
import { audioHead } from '../transfer.ts'
import { DESKTOP, PHONE, visit } from '../visit.ts'
import { atMost, median, ms, percentile, type Work } from '../work.ts'

const SONGS = 20
const FILE_BYTES = 5_000_000

/**
 * From two files on the operator's desk to "ready" on the customer's page, both in one browser on the server's machine: what
 * it takes beside the time on the line. The operator delivers as soon as the files are checked.
 */
export const delivery: Work = {
  name: 'delivery',
  run: async () => {
    await using product = await startBenchProduct()
    const { url, operator } = product
    const [customer] = await product.people(1, SONGS * 10)
    const files = await waves()
    await using browser = await launchBrowser()
    await using desk = await visit(browser, DESKTOP, { url, person: operator })
    await using phone = await visit(browser, PHONE, { url, person: customer! })
    const ready: number[] = []
    while (ready.length < SONGS) {
      const { body: song } = await customer!.post<Song>('/api/songs', { lyrics: 'la', style: 'Folk' })
      await untilDecided(customer!)
      await phone.page.goto(`${url}/songs/${song.id}`)
      await phone.page.getByRole('heading', { level: 1 }).waitFor()
      await desk.page.goto(`${url}/operator?song=${song.id}`)
      ready.push(await deliver(desk.page, phone.page, files.paths))
    }
    await files.remove()
    return [
      atMost('two files of 5 MB on the desk → ready on the customer’s page', ms, {
        p50: [median(ready), null],
        p95: [percentile(ready, 0.95), 1_500],
      }),
    ]
  },
}

/** Answers how many ms it took. */
async function deliver(desk: Page, phone: Page, [one, two]: readonly [string, string]): Promise<number> {
  const region = desk.getByRole('region', { name: 'Delivery' })
  await region.getByLabel('Version 1', { exact: true }).setInputFiles(one)
  const since = performance.now()
  await region.getByLabel('Version 2', { exact: true }).setInputFiles(two)
  await region.getByRole('button', { name: 'Deliver…', exact: true }).click()
  await desk.getByRole('dialog').getByRole('button', { name: 'Deliver', exact: true }).click()
  await phone.getByRole('button', { name: 'Play Version 1' }).waitFor()
  return performance.now() - since
}

/** Two tones of 28 seconds in a folder of their own. */
async function waves(): Promise<{ paths: readonly [string, string]; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-takes-'))
  const take = async (n: number): Promise<string> => {
    const file = Buffer.alloc(FILE_BYTES)
    audioHead(FILE_BYTES).copy(file)
    for (let at = 44; at < FILE_BYTES; at += 2)
      file.writeInt16LE(Math.round(Math.sin(((at >> 2) / 44_100) * n * 220 * 2 * Math.PI) * 12_000), at)
    const path = join(folder, `take ${n}.wav`)
    await writeFile(path, file)
    return path
  }
  return {
    paths: [await take(1), await take(2)],
    remove: () => rm(folder, { recursive: true }),
  }
}
