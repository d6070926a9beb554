import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { Placed } from '@prelude/contracts'
import { type BlobStore, newId, open } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { createStorage } from '../src/index.ts'
import { fixture } from './fixtures.ts'

export interface Options {
  readonly claimTtlMs?: number
  /** Puts something between storage and the real folder. */
  readonly blobs?: (real: BlobStore) => BlobStore
}

/** Storage on a real database and folder. The songs service is a small stand-in that names the paths in `named`. */
export async function startStorage(options: Options = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-storage-'))
  const stagingDir = join(dir, 'staging')
  const blobs = open.blobs(pathToFileURL(join(dir, 'blobs')).href)
  const named = new Set<string>()
  const songs = { answers: true }
  const service = await testService(
    (deps) =>
      createStorage({
        ...deps,
        blobs: options.blobs?.(blobs) ?? blobs,
        config: { stagingDir, ...(options.claimTtlMs !== undefined && { claimTtlMs: options.claimTtlMs }) },
      }),
    {
      calls: {
        songs: (app) => {
          const config = { callers: ['storage'] } as const
          app.post<{ Body: { paths: string[] } }>('/named-paths', { config }, async ({ body }, reply) => {
            if (!songs.answers) return reply.code(503).send({ code: 'unavailable' })
            return { paths: body.paths.filter((path) => named.has(path)) }
          })
        },
      },
    },
  )

  const post = async (url: string, form: FormData) => {
    const request = new Response(form)
    const payload = Buffer.from(await request.arrayBuffer())
    return service.inject({ method: 'POST', url, payload, headers: headersOf(request) })
  }

  return {
    ...service,
    dir,
    stagingDir,
    blobs,
    named,
    songs,
    post,
    postBoth: (songId: string, form: FormData) => post(`/songs/${songId}/placements?uid=u1`, form),
    /** Places two versions and keeps them, as the gateway does. */
    fulfil: async (songId: string = newId(), names: readonly [string, string] = ['one.mp3', 'two.mp3']) => {
      const form = formOf({
        version1: [await fixture('cbr.mp3'), names[0]],
        version2: [await fixture('vbr.mp3'), names[1]],
      })
      const reply = await post(`/songs/${songId}/placements?uid=u1`, form)
      const placed = reply.json<Placed>()
      for (const path of placed.paths) named.add(path)
      await service.inject({ method: 'POST', url: `/claims/${placed.claim}/keep` })
      return { songId, paths: placed.paths }
    },
    runJob: async (name: string) =>
      service.service.jobs?.find((job) => job.name === name)?.run(new AbortController().signal),
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
