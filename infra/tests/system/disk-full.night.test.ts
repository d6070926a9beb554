import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, onTestFinished, test } from 'vitest'
import { allSongs, signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

/** The disk of PostgreSQL fills up under a running product. */

/** Its journal has space set aside, so the first submits after that still succeed. */
const MOST_SUBMITS = 2_000

test('while the disk is full submits get 503; with space again a repeated one is accepted, and every accepted song is there once, and decided', async ({
  skip,
}) => {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-full-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  skip(!canMount(dir), 'no small disk can be made: it takes Linux and root')
  onTestFinished(() => void execFileSync('umount', ['--lazy', dir]))
  await using product = await startProductProcess({ RATE_LIMITS: 'off', DATA_DIR: join(dir, 'data') })
  const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
  const accepted: string[] = []
  const submit = async (): Promise<{ status: number; code?: string | undefined }> => {
    const json = { lyrics: 'la '.repeat(3_000), style: 'folk' }
    const { status, body } = await singer.post<{ id?: string; code?: string }>('/api/songs', json)
    if (status === 201) accepted.push(body.id ?? 'without an id')
    return { status, code: body.code }
  }
  expect((await submit()).status).toBe(201)

  const filler = join(dir, 'filler')
  await fill(filler)
  let last = await submit()
  for (let n = 0; last.status === 201 && n < MOST_SUBMITS; n++) last = await submit()
  expect(last).toEqual({ status: 503, code: 'submit_failed' })

  await rm(filler)
  await eventually(async () => expect((await submit()).status).toBe(201))
  await eventually(async () => {
    const songs = await allSongs(singer)
    expect(songs.filter(({ charge }) => charge !== 'declined')).toEqual([])
    const ids = songs.map(({ id }) => id)
    expect(ids.filter((id) => accepted.includes(id)).toSorted()).toEqual(accepted.toSorted())
  })
  expect(product.checkInvariants()).toContain(' 0 broken')
})

function canMount(dir: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', dir], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Writes until nothing more fits. */
async function fill(path: string): Promise<void> {
  await using file = await open(path, 'w')
  for (let size = 1024 * 1024; size >= 512; size /= 2) {
    const zeros = Buffer.alloc(size)
    for (let fits = true; fits;)
      fits = await file.write(zeros).then(
        ({ bytesWritten }) => bytesWritten === size,
        () => false,
      )
  }
}
