import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Problem, Song } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { MP3 } from '../../support/audio-files.ts'
import { productOfFile, requestSong, somebody, unlockedOperator } from '../../support/callers.ts'
import { wavHead } from '../../support/wav.ts'

/** The largest file in one request. */

const MIB = 1024 * 1024
const BOUNDARY = 'a-boundary'
const product = productOfFile()

const part = (name: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; filename="${name}.wav"\r\n\r\n`

/** 8-bit silence at 192 kHz: valid audio of any size. */
const SILENCE = { rate: 192_000, channels: 1, bits: 8 }

function* formWith(sizeBytes: number): Generator<Buffer> {
  yield Buffer.from(part('version1'))
  yield MP3
  yield Buffer.from(`\r\n${part('version2')}`)
  yield wavHead(sizeBytes, SILENCE)
  const chunk = Buffer.alloc(MIB, 128)
  for (let left = sizeBytes - 44; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
}

test('a file of exactly 200 MiB is accepted; one byte more is refused, and changes nothing', async () => {
  const operator = await unlockedOperator(product())
  const song = await requestSong(await somebody(product()))
  const send = async (sizeBytes: number): Promise<{ status: number | undefined; body: unknown }> => {
    const outgoing = request(
      new URL(`/api/operator/songs/${song.id}/fulfil?gift=true`, product().endpoints.web),
      {
        method: 'POST',
        headers: { cookie: operator.cookie, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      },
    )
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    await pipeline(Readable.from(formWith(sizeBytes)), outgoing)
    const [answer] = await answered
    return { status: answer.statusCode, body: await json(answer) }
  }
  const over = await send(200 * MIB + 1)
  expect([over.status, (over.body as Problem).code]).toEqual([413, 'file_too_large'])
  expect((await operator.call<Song>('GET', `/api/songs/${song.id}`)).body.status).toBe('pending')
  const exact = await send(200 * MIB)
  expect([exact.status, (exact.body as Song).status]).toEqual([200, 'ready'])
})
