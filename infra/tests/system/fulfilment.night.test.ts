import type { Song } from '@prelude/contracts'
import pg from 'pg'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withDatabase } from '../../embedded/with-database.ts'
import { FLAC, form, fulfil, MP3, WAV } from '../support/audio-files.ts'
import {
  expectRefusal,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../support/callers.ts'

/** Fulfilments in which songs and storage do not keep up with each other: whose object is version n never comes apart. */

const product = productOfFile()
let operator: Somebody
let admin: pg.Client

beforeAll(async () => {
  operator = await unlockedOperator(product())
  await withDatabase({ dataDir: product().dataDir, adminUrl: undefined }, async (adminUrl) => {
    admin = new pg.Client({ connectionString: adminUrl })
    admin.on('error', () => {}) // the product and its database stop before this connection
    await admin.connect()
  })
})
afterAll(() => admin.end().catch(() => {}))

const waitingSong = async (): Promise<Song> => requestSong(await somebody(product()))
const songOf = async (id: string): Promise<Song> =>
  (await operator.call<Song>('GET', `/api/songs/${id}`)).body
const audioOf = async (id: string, n: number): Promise<Buffer> => {
  const { status, bytes } = await operator.call<string>('GET', `/api/songs/${id}/versions/${n}`)
  expect(status).toBe(200)
  return bytes
}
const statesOf = async (id: string): Promise<string[]> => {
  const { rows } = await admin.query<{ state: string }>(
    'select version || $2 || state as state from storage.audio where song_id = $1 order by version, state',
    [id, ' '],
  )
  return rows.map(({ state }) => state)
}

test('songs takes so long for a fulfilment that its caller has given up, then commits it: both files are there', async () => {
  const song = await waitingSong()
  // each statement stays below its own time limit, both together last longer than a call
  await admin.query(`
    create function songs.linger() returns trigger language plpgsql as $$ begin perform pg_sleep(2.5); return new; end $$;
    create trigger linger before update on songs.song for each row when (new.status = 'ready') execute function songs.linger();
    create trigger linger before insert on songs.take for each statement execute function songs.linger()`)
  try {
    expectRefusal(await fulfil(operator, song.id, undefined, '?gift=true'), 502, 'upload_failed')
    expect((await songOf(song.id)).status).toBe('pending')
    await eventually(async () => expect((await songOf(song.id)).status).toBe('ready'))
  } finally {
    await admin.query('drop function songs.linger cascade')
  }
  await eventually(async () => expect(await statesOf(song.id)).toEqual(['1 named', '2 named']))
  expect((await audioOf(song.id, 1)).equals(MP3)).toBe(true)
  expect((await audioOf(song.id, 2)).equals(FLAC)).toBe(true)
})

test('a version is replaced before storage has received that it was fulfilled: it stays replaced', async () => {
  const song = await waitingSong()
  // the consumer of storage cannot move its cursor
  await admin.query('begin')
  await admin.query('select from storage.cursor for update')
  try {
    expect((await fulfil(operator, song.id, undefined, '?gift=true')).status).toBe(200)
    const better = form({ field: 'file', bytes: WAV, name: 'better.wav' })
    const url = `/api/operator/songs/${song.id}/versions/1`
    expect((await operator.call('PUT', url, { raw: better })).status).toBe(200)
    expect((await audioOf(song.id, 1)).equals(WAV)).toBe(true)
    expect(await statesOf(song.id)).toEqual(['1 placed', '1 placed', '2 placed'])
  } finally {
    await admin.query('rollback')
  }
  await eventually(async () => expect(await statesOf(song.id)).toEqual(['1 named', '2 named']))
  expect((await audioOf(song.id, 1)).equals(WAV)).toBe(true)
  expect((await audioOf(song.id, 2)).equals(FLAC)).toBe(true)
})
