import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { type Placed, type Song, type Take, TakesChanged } from '@prelude/contracts'
import { type Database, type Logger, newId, type Service } from '@prelude/platform'
import { requestedSong, testService } from '@prelude/platform/testing'
import { type AudioProcess, createAudioProcess } from '../src/audio-process/audio-process.ts'
import { createStorage } from '../src/index.ts'
import { fixture } from './fixtures.ts'
import { type BlobStore, openBlobs } from '../src/blobs/index.ts'
import type { Generator } from '../src/generator/port.ts'

export interface Options {
  /** Puts something between storage and the real folder. */
  readonly blobs?: (real: BlobStore) => BlobStore
  /** Awaited after each statement. */
  readonly afterQuery?: (sql: string) => Promise<void>
  readonly generator?: Generator
  readonly logger?: Logger
}

/** Holds the folders of all storages of this process. */
const PARENT = mkdtempSync(join(tmpdir(), 'prelude-storage-'))
process.once('exit', () => rmSync(PARENT, { recursive: true, force: true }))
const shared = new Map<number, AudioProcess>()
const audioProcess: typeof createAudioProcess = ({ niceness = 0 }) => {
  const one = shared.get(niceness) ?? createAudioProcess({ folder: PARENT, niceness })
  shared.set(niceness, one)
  return { ...one, close: () => {} }
}

/** Storage on a real database and folder. The songs service is a small stand-in that names the paths in `named`. */
export async function startStorage({ blobs: between, afterQuery, generator, logger }: Options = {}) {
  const dir = await mkdtemp(join(PARENT, 'one-'))
  const stagingDir = join(dir, 'staging')
  const blobs = openBlobs(pathToFileURL(join(dir, 'blobs')).href)
  const named = new Set<string>()
  const songs = {
    answers: true,
    answer: async () => {},
    song: requestedSong(),
    takes: [] as Pick<Take, 'version' | 'take' | 'path' | 'durationMs'>[],
  }
  let again: (() => Service) | undefined
  const service = await testService(
    (deps) => {
      again = () =>
        createStorage({
          ...deps,
          ...(logger && { logger }),
          db: afterQuery ? observed(deps.db, afterQuery) : deps.db,
          blobs: between?.(blobs) ?? blobs,
          generator: generator ?? null,
          config: { stagingDir, draftsAtOnce: 2, draftsASong: 12, draftDays: 7 },
          audioProcess,
        })
      return again()
    },
    {
      calls: {
        songs: (app) => {
          const config = { callers: ['storage'] } as const
          app.post<{ Body: { paths: string[] } }>('/named-paths', { config }, async ({ body }, reply) => {
            if (!songs.answers) return reply.code(503).send({ code: 'unavailable' })
            await songs.answer()
            return { paths: body.paths.filter((path) => named.has(path)) }
          })
          app.get('/songs/:id/words', { config }, async (): Promise<Song> => {
            await songs.answer()
            return songs.song
          })
          app.get('/songs/:id/takes', { config }, async () => ({ takes: songs.takes }))
        },
      },
    },
  )

  const post = async (url: string, form: FormData) => {
    const request = new Response(form)
    const payload = Buffer.from(await request.arrayBuffer())
    const reply = await service.inject({ method: 'POST', url, payload, headers: headersOf(request) })
    if (reply.statusCode === 200) for (const { id, path } of reply.json<Placed>().objects) ids.set(path, id)
    return reply
  }
  const ids = new Map<string, string>()
  const idOf = (path: string): string => ids.get(path) ?? ''

  const place = async (songId: string, form: FormData): Promise<string[]> => {
    const { objects } = (await post(`/songs/${songId}/placements`, form)).json<Placed>()
    return objects.map(({ path }) => path)
  }
  /** The takes of the song as songs emits them: of each version one, in the order of the paths. */
  const name = async (songId: string, ...paths: readonly string[]): Promise<void> => {
    for (const path of paths) named.add(path)
    const takes = paths.map((path) => {
      const version = versionOf(path)
      const earlier = paths.slice(0, paths.indexOf(path)).filter((one) => versionOf(one) === version)
      return { version, take: earlier.length + 1, objectId: idOf(path) }
    })
    await service.deliver(TakesChanged, { songId, uid: 'u1', takes })
  }

  return {
    ...service,
    dir,
    stagingDir,
    blobs,
    named,
    songs,
    post,
    postBoth: (songId: string, form: FormData) => post(`/songs/${songId}/placements`, form),
    place,
    name,
    idOf,
    /** Places two versions, and the song names them. */
    fulfil: async (songId: string = newId(), names: readonly [string, string] = ['one.mp3', 'two.mp3']) => {
      const paths = await place(
        songId,
        formOf({
          version1: [await fixture('cbr.mp3'), names[0]],
          version2: [await fixture('vbr.mp3'), names[1]],
        }),
      )
      await name(songId, ...paths)
      return { songId, paths }
    },
    /** As the gateway asks for the audio of an object. */
    audio: (
      path: string | undefined,
      options: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) => service.inject({ url: urlOf('/audio', { path: path ?? '', ...options }), headers }),
    waveform: (path: string | undefined) => service.inject({ url: urlOf('/waveform', { path: path ?? '' }) }),
    runJob: async (name: string, signal = new AbortController().signal) =>
      runJobOf(service.service, name, signal),
    /** Another process on the same database. */
    secondProcess: () => again!(),
    objects: async () => {
      const paths: string[] = []
      for await (const { path } of blobs.list('')) paths.push(path)
      return paths.toSorted()
    },
    staged: async () => {
      const entries = await readdir(stagingDir, { recursive: true, withFileTypes: true }).catch(() => [])
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export const runJobOf = async (
  { jobs = [] }: Service,
  name: string,
  signal = new AbortController().signal,
): Promise<void> => jobs.find((job) => job.name === name)?.run(signal)

const observed = (db: Database, afterQuery: (sql: string) => Promise<void>): Database =>
  new Proxy(db, {
    get: (target, name: keyof Database) =>
      name === 'query'
        ? async (sql: string, params: readonly unknown[]) => {
            const done = await target.query(sql, params)
            await afterQuery(sql)
            return done
          }
        : target[name],
  })

const versionOf = (path: string): number => (path.includes('/version1_') ? 1 : 2)
const urlOf = (path: string, query: Record<string, string>): string =>
  `${path}?${new URLSearchParams(query).toString()}`

export type Storage = Awaited<ReturnType<typeof startStorage>>

const headersOf = (request: Response) => ({ 'content-type': request.headers.get('content-type') ?? '' })

type Part = readonly [bytes: Buffer<ArrayBuffer> | string, filename?: string]

/** A form with files (with a name) and text fields (without). */
export function formOf(parts: Record<string, Part | readonly Part[]>): FormData {
  const form = new FormData()
  for (const [name, given] of Object.entries(parts)) {
    const several = Array.isArray(given[0]) ? (given as readonly Part[]) : [given as Part]
    for (const [bytes, filename] of several) {
      if (filename === undefined) form.append(name, String(bytes))
      else form.append(name, new File([bytes], filename))
    }
  }
  return form
}

export async function bothVersions(): Promise<FormData> {
  return formOf({
    version1: [await fixture('cbr.mp3'), 'one.mp3'],
    version2: [await fixture('vbr.mp3'), 'two.mp3'],
  })
}

/** A multipart body as a stream, so that a test decides when and whether it goes on. */
export function streamedForm(parts: AsyncIterable<Buffer> | Iterable<Buffer>) {
  return {
    payload: Readable.from(parts),
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }
}

export const partHead = (name: string, filename: string): Buffer =>
  Buffer.from(`--b\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`)
export const PART_END = Buffer.from('\r\n')
export const FORM_END = Buffer.from('--b--\r\n')
