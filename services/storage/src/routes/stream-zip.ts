import { makeZip, predictLength } from 'client-zip'
import type { FastifyPluginAsync } from 'fastify'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Type } from 'typebox'
import { AppError, type BlobStore, Unavailable } from '@prelude/platform'
import { attachment } from '../domain/file-name.ts'
import type { Audio } from '../store/audio.ts'
import { nameOf, servedVersions, type StreamDeps, unavailable } from './served-versions.ts'

const Texts = Type.Object({ lyrics: Type.String(), style: Type.String() })

/** `POST /songs/:songId/zip` `{lyrics, style}`: both versions and both texts, packed while they are sent. */
export const streamZip =
  (deps: StreamDeps): FastifyPluginAsync =>
  async (app) => {
    app.post<{ Params: { songId: string }; Body: { lyrics: string; style: string } }>(
      '/songs/:songId/zip',
      { schema: { body: Texts } },
      async (request, reply) => {
        const { songId } = request.params
        const versions = await servedVersions(deps, songId)
        if (versions.length < 2) throw new AppError('song_not_found')
        for (const { path } of versions)
          if (!(await deps.blobs.head(path).catch(unavailable)))
            throw new Unavailable('storage', `${path} is not there`)
        const texts = [
          { name: 'lyrics.txt', input: Buffer.from(request.body.lyrics) },
          { name: 'style.txt', input: Buffer.from(request.body.style) },
        ]
        const audios = versions.map((audio) => ({ path: audio.path, ...entryOf(audio, versions) }))
        const sizes = [...audios, ...texts.map(({ name, input }) => ({ name, size: input.length }))]
        const body = Readable.fromWeb(makeZip(entries(deps.blobs, audios, texts)) as ReadableStream)
        const name = `song-${songId}.zip`
        return reply
          .header('content-type', 'application/zip')
          .header('content-disposition', attachment({ name, safe: name }))
          .header('content-length', predictLength(sizes).toString())
          .header('cache-control', 'private, no-cache')
          .send(body)
      },
    )
  }

interface AudioEntry {
  readonly name: string
  readonly size: number
  readonly path: string
}

function entryOf(audio: Audio, versions: readonly Audio[]): Omit<AudioEntry, 'path'> {
  const { name, safe } = nameOf(audio, versions)
  // the texts keep their names
  return { name: /^(lyrics|style)\.txt$/i.test(name) ? safe : name, size: audio.sizeBytes }
}

/** One object is open at a time, and only while it is sent. */
async function* entries(
  blobs: BlobStore,
  audios: readonly AudioEntry[],
  texts: readonly { name: string; input: Buffer }[],
) {
  for (const { name, size, path } of audios) {
    const input = await blobs.get(path)
    if (!input) throw new Error(`${path} is not there`)
    try {
      yield { name, size, input: input as AsyncIterable<Uint8Array<ArrayBuffer>> }
    } finally {
      input.destroy()
    }
  }
  for (const { name, input } of texts) yield { name, input }
}
