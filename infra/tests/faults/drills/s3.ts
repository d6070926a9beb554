import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from '@prelude/platform'
import { fulfil } from '../fulfil.ts'
import { type Outage, silent, stopped } from '../outages.ts'
import {
  ask,
  type Drill,
  must,
  type Scene,
  someone,
  unlockedOperator,
  until,
  withDatabase,
} from '../scene.ts'

/** A removal that fails is tried again after two minutes. */
const CLEANED_WITHIN_MS = 200_000
const FAILURE = 'Upload failed. Please try again.'

/** Objects in the store, rows and staged files of a song: four when it is ready and nothing is left over. */
async function traces(scene: Scene, id: string): Promise<string[]> {
  const blobs = open.blobs(scene.stack.servers.blobsUrl)
  const objects = await Array.fromAsync(blobs.list(`songs/${id}/`), ({ path }) => path)
  await blobs.close()
  const rows = await withDatabase(scene, (query) =>
    query(`select path from storage.audio where song_id = '${id}'`),
  )
  const staged = await readdir(join(scene.stack.dataDir, 'storage-1/staging'), { recursive: true })
  return [
    ...objects,
    ...rows.map(({ path }) => String(path)),
    ...staged.filter((name) => name.startsWith('placements/')),
  ]
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const drill = ({ how, start, end }: Outage): Drill => ({
  name: `S3: ${how}`,
  run: async (scene) => {
    const [person, operator] = [await someone(scene), await unlockedOperator(scene)]
    const { body: song } = await person.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
    await until('the charge', 30_000, async () => {
      const { body } = await ask<{ charge: string }>(scene, person, 'GET', `/api/songs/${song.id}`)
      return body.charge === 'deciding' ? 'undecided' : null
    })
    await start(scene)
    const failed = await fulfil(scene, operator, song.id)
    must(
      failed.status >= 500 && failed.body.detail === FAILURE,
      `the upload answers ${failed.status} ${failed.body.detail}`,
    )
    const pending = await ask<{ status: string }>(scene, person, 'GET', `/api/songs/${song.id}`)
    must(pending.body.status === 'pending', `the song is ${pending.body.status}`)
    await end(scene)
    const freed = await until('another upload succeeds', 30_000, async () => {
      const { status, body } = await fulfil(scene, operator, song.id)
      return status === 200 ? null : `${status} ${body.detail}`
    })
    const cleaned = await until('nothing is left over', CLEANED_WITHIN_MS, async () => {
      const left = await traces(scene, song.id)
      return left.length === 4 ? null : left.join(', ')
    })
    const audio = await ask(scene, person, 'GET', `/api/songs/${song.id}/versions/1`)
    must(audio.status === 200, `the audio answers ${audio.status}`)
    scene.note(
      `"${FAILURE}" after ${seconds(failed.ms)}; another upload ${seconds(freed)} after the end of the outage, nothing left over ${seconds(cleaned)} after that`,
    )
  },
})

export const s3: readonly Drill[] = [drill(stopped('s3')), drill(silent('s3'))]
