import { makeZip, predictLength } from 'client-zip'
import type { FastifyPluginAsync } from 'fastify'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type Static, Type } from 'typebox'
import { asFileName } from '@prelude/contracts'
import { Unavailable } from '@prelude/platform'
import { attachment, titledName } from '../domain/file-name.ts'
import type { Audio } from '../store/audio.ts'
import { findObjects, formatOf, unavailable } from './find-objects.ts'
import type { StreamDeps } from './stream-audio.ts'
import type { BlobStore } from '../blobs/index.ts'

const Wanted = Type.Object({
  songId: Type.String(),
  paths: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
  lyrics: Type.String(),
  style: Type.String(),
  title: Type.String(),
  brief: Type.Optional(Type.String()),
  made: Type.Optional(Type.String()),
  /** A PDF, in base64. */
  certificate: Type.Optional(Type.String()),
})
type Wanted = Static<typeof Wanted>

/** `POST /zip` `{songId, paths, lyrics, style, title, brief?, made?, certificate?}`: both versions, the texts and the certificate, packed while they are sent. The title names them. */
export const streamZip =
  ({ db, blobs }: StreamDeps): FastifyPluginAsync =>
  async (app) => {
    app.post<{ Body: Wanted }>('/zip', { schema: { body: Wanted } }, async (request, reply) => {
      const { songId, paths, lyrics, style, title, brief, made, certificate } = request.body
      const [first, second] = (await findObjects(db, paths)) as [Audio, Audio]
      for (const path of paths)
        if (!(await blobs.head(path).catch(unavailable)))
          throw new Unavailable('storage', `${path} is not there`)
      const texts = [
        { name: 'lyrics.txt', input: Buffer.from(lyrics) },
        { name: 'style.txt', input: Buffer.from(style) },
        ...(brief === undefined ? [] : [{ name: 'brief.txt', input: Buffer.from(brief) }]),
        ...(made === undefined ? [] : [{ name: 'how-it-was-made.txt', input: Buffer.from(made) }]),
        ...(certificate === undefined
          ? []
          : [{ name: 'licence.pdf', input: Buffer.from(certificate, 'base64') }]),
      ]
      const audios = [entryOf(first, title), entryOf(second, title)]
      const sizes = [...audios, ...texts.map(({ name, input }) => ({ name, size: input.length }))]
      const body = Readable.fromWeb(makeZip(entries(blobs, audios, texts)) as ReadableStream)
      return reply
        .header('content-type', 'application/zip')
        .header(
          'content-disposition',
          attachment({ name: `${asFileName(title)}.zip`, safe: `song-${songId}.zip` }),
        )
        .header('content-length', predictLength(sizes).toString())
        .header('cache-control', 'private, no-cache')
        .send(body)
    })
  }

interface AudioEntry {
  readonly name: string
  readonly size: number
  readonly path: string
}

const entryOf = (audio: Audio, title: string): AudioEntry => ({
  name: titledName(title, audio.version, formatOf(audio)).name,
  size: audio.sizeBytes,
  path: audio.path,
})

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
