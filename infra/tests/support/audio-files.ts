import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import { expect } from 'vitest'
import type { Person, Reply } from './person.ts'

const FIXTURES = join(import.meta.dirname, '../../../services/storage/test/fixtures')

export const MP3 = await readFile(join(FIXTURES, 'cbr.mp3'))
export const FLAC = await readFile(join(FIXTURES, 'tone.flac'))
export const WAV = await readFile(join(FIXTURES, 'pcm16.wav'))

export interface Part {
  readonly field: string
  readonly bytes: Buffer
  readonly name?: string
}

export function form(...parts: Part[]): FormData {
  const data = new FormData()
  for (const { field, bytes, name } of parts)
    data.append(field, new Blob([new Uint8Array(bytes)], { type: 'audio/mpeg' }), name ?? 'take.mp3')
  return data
}

export const both = (name1 = 'one.mp3', name2 = 'two.flac'): FormData =>
  form({ field: 'version1', bytes: MP3, name: name1 }, { field: 'version2', bytes: FLAC, name: name2 })

export const fulfil = (
  operator: Person,
  id: string,
  body: FormData = both(),
  query = '',
): Promise<Reply<Song>> =>
  operator.call<Song>('POST', `/api/operator/songs/${id}/fulfil${query}`, { raw: body })

/** A resumable upload (tus 1.0), finished unless fewer bytes are sent than announced; answers its id. */
export async function upload(
  operator: Person,
  bytes: Buffer,
  { length = bytes.length, name = 'take.mp3' }: { length?: number; name?: string } = {},
): Promise<string> {
  const tus = { 'tus-resumable': '1.0.0' }
  const metadata = `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from('audio/mpeg').toString('base64')}`
  const made = await operator.call('POST', '/api/operator/uploads', {
    headers: { ...tus, 'upload-length': String(length), 'upload-metadata': metadata },
  })
  expect(made.status).toBe(201)
  const location = made.headers.location ?? ''
  expect(location).toMatch(/^\/api\/operator\/uploads\/[\w-]+$/)
  const sent = await operator.call('PATCH', location, {
    raw: bytes,
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  })
  expect([sent.status, sent.headers['upload-offset']]).toEqual([204, String(bytes.length)])
  return location.split('/').at(-1) ?? ''
}
