import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { mkdir } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type Code, MAX_AUDIO_BYTES, uploadCode } from '@prelude/contracts'
import { AppError, type Database, isId, newId, problemOf } from '@prelude/platform'
import { findDraftObject } from '../store/drafts.ts'
import { endWhenSilent } from './end-when-silent.ts'
import { readToEnd } from './read-to-end.ts'

const UPLOADS_EXPIRE_AFTER_MS = 24 * 60 * 60 * 1000
const PATH = '/uploads'
/** The content type of every PATCH; any other is 415 by the protocol, though the library answers 400. */
const CHUNK_TYPE = 'application/offset+octet-stream'

interface ReceiveOptions {
  readonly onBytes: (bytes: number) => void
}

/**
 * Resumable uploads, tus 1.0 (creation, termination, expiration): `/uploads` and `/uploads/:id`. Statuses and headers are
 * those of the protocol, error bodies are problem documents. `location` is a path that begins with `/uploads/`.
 */
export const receiveUploads =
  (db: Database, uploadsDir: string, options: ReceiveOptions): FastifyPluginAsync =>
  async (app) => {
    await mkdir(uploadsDir, { recursive: true })
    const tus = new Server({
      path: PATH,
      datastore: new FileStore({
        directory: uploadsDir,
        expirationPeriodInMilliseconds: UPLOADS_EXPIRE_AFTER_MS,
      }),
      relativeLocation: true,
      maxSize: MAX_AUDIO_BYTES,
      namingFunction: () => newId(),
      getFileIdFromRequest: (_request, last) => (last !== undefined && isId(last) ? last : undefined),
    })
    app.removeAllContentTypeParsers()
    // the bytes stay a stream, whatever their declared type
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const handler = (request: FastifyRequest, reply: FastifyReply) => serve(tus, options, request, reply)
    app.route({ method: ['POST', 'OPTIONS'], url: PATH, handler })
    app.route<{ Params: { id: string } }>({
      method: ['HEAD', 'PATCH', 'DELETE', 'OPTIONS'],
      url: `${PATH}/:id`,
      handler: async (request, reply) => {
        const { id } = request.params
        const draft = request.method === 'HEAD' && isId(id) ? await findDraftObject(db, id) : null
        return draft ? finished(reply, draft.sizeBytes) : handler(request, reply)
      },
    })
  }

/** A ready draft is a finished upload. */
const finished = (reply: FastifyReply, sizeBytes: number): FastifyReply =>
  reply.headers({ 'tus-resumable': '1.0.0', 'upload-offset': sizeBytes, 'upload-length': sizeBytes }).send()

async function serve(
  tus: Server,
  { onBytes }: ReceiveOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.body instanceof Readable) endWhenSilent(request.raw)
  const body = request.body instanceof Readable ? feed(request.body, counter(onBytes)) : null
  const answer = await tus.handleWeb(
    new Request(new URL(request.url, 'http://storage'), {
      method: request.method,
      headers: plainHeaders(request),
      ...(body && { body: Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>, duplex: 'half' }),
    } as RequestInit),
  )
  if (answer.status >= 400) await readToEnd(request.raw)
  for (const [name, value] of answer.headers)
    // no cross-origin access
    if (!name.startsWith('access-control-') && !BODY_HEADERS.has(name)) void reply.header(name, value)
  if (answer.status === 400 && request.method === 'PATCH' && request.headers['content-type'] !== CHUNK_TYPE)
    return refuse(reply, request, 415, 'unsupported_media_type', '')
  if (WRONG_REQUEST.has(answer.status))
    return refuse(reply, request, 400, 'invalid_request', await answer.text())
  if (answer.status >= 400)
    return refuse(reply, request, answer.status, uploadCode(answer.status), await answer.text())
  return reply.code(answer.status).send()
}

/** What the library answers where a header is missing (403), or asks for an extension that is not offered (501). */
const WRONG_REQUEST = new Set([403, 501])
const BODY_HEADERS = new Set(['content-type', 'content-length', 'connection'])

/** A sender that disconnects ends the stream with an error; the bytes received until then are kept. */
function feed(source: Readable, sink: Transform): Readable {
  source.on('error', (error) => sink.destroy(error))
  source.on('close', () => {
    if (!source.readableEnded) sink.destroy(new Error('the sender left'))
  })
  return source.pipe(sink)
}

const counter = (onBytes: (bytes: number) => void): Transform =>
  new Transform({
    transform(bytes: Buffer, _encoding, done) {
      onBytes(bytes.length)
      done(null, bytes)
    },
  })

function plainHeaders(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && name !== 'transfer-encoding') headers.set(name, value)
  return headers
}

function refuse(
  reply: FastifyReply,
  request: FastifyRequest,
  status: number,
  code: Code,
  reason: string,
): FastifyReply {
  const detail = code === 'invalid_request' ? reason.trim() : ''
  const problem = problemOf(new AppError(code, detail ? { detail } : {}), request.id, status)
  return reply
    .code(status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem))
}
