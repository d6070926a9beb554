import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Song, Waveform } from '@prelude/contracts'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { form, fulfil, MP3 } from '../support/audio-files.ts'
import { productOfFile, requestSong, somebody, unlockedOperator } from '../support/callers.ts'

/** Memory of the whole product, all of its processes, while it judges and decodes files of strangers. */

const HOSTILE = resolve(import.meta.dirname, '../../../services/storage/test/hostile')
const MAX_GROWTH_BYTES = 300e6

/** Each is 210 MB of samples. */
const BOMBS = ['bomb of 23 KB.flac', 'bomb that says it is mono.flac'] as const

const product = productOfFile()

/** Those files of the corpus. */
async function bombs(): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-bombs-'))
  try {
    await promisify(execFile)(process.execPath, [join(HOSTILE, 'write-corpus.ts'), folder, ...BOMBS])
    return await Promise.all(BOMBS.map((name) => readFile(join(folder, name))))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The memory of the product's processes; `report` answers what was observed since the last one. */
function observe() {
  const observer = fork(join(HOSTILE, 'observe.ts'), [String(product().endpoints.pid)], { execArgv: [] })
  return {
    report: async (): Promise<{ peakBytes: number; nowBytes: number }> => {
      const answer = once(observer, 'message')
      observer.send('report')
      return (await answer)[0] as { peakBytes: number; nowBytes: number }
    },
    [Symbol.dispose]: () => void observer.kill(),
  }
}

describe.runIf(process.platform === 'linux')('bombs', () => {
  test('two at once let the memory of all processes grow by less than 300 MB, and their songs play', async () => {
    const [operator, ada] = [await unlockedOperator(product()), await somebody(product())]
    const songs = [await requestSong(ada), await requestSong(ada), await requestSong(ada)]
    const [ordinary, ...hostile] = songs.map(({ id }) => id)
    // decoders leave the processor to others, so this takes minutes on a busy machine: the limit is that of the test
    const analysed = async (id = ''): Promise<Waveform> => {
      for (;;) {
        const { status, body } = await ada.call<Waveform>('GET', `/api/songs/${id}/versions/2/waveform`)
        if (status === 200) return body
        await delay(200)
      }
    }
    // the processes that judge and decode run before it is measured
    expect((await fulfil(operator, ordinary ?? '', undefined, '?gift=true')).status).toBe(200)
    await analysed(ordinary)

    const files = await bombs()
    using observer = observe()
    const { nowBytes } = await observer.report()
    const deliver = (id: string, bytes: Buffer) =>
      fulfil(
        operator,
        id,
        form({ field: 'version1', bytes: MP3 }, { field: 'version2', bytes }),
        '?gift=true',
      )
    const answers = await Promise.all(hostile.map((id, i) => deliver(id, files[i] ?? Buffer.alloc(0))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await Promise.all(hostile.map(analysed))
    const { peakBytes } = await observer.report()
    expect(peakBytes - nowBytes).toBeLessThan(MAX_GROWTH_BYTES)

    for (const id of songs.map((song) => song.id)) {
      const { body } = await ada.call<Song>('GET', `/api/songs/${id}`)
      expect((await ada.call('GET', body.downloadUrl1 ?? '')).status).toBe(200)
    }
  })
})
