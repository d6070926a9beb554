import type { FastifyRequest } from 'fastify'
import { join } from 'node:path'
import { type Code, PROBLEMS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { MultipartFile } from '@fastify/multipart'
import { fromForm } from '../domain/file-name.ts'
import type { Stage, StagedFile } from '../staging.ts'
import { endWhenSilent } from './end-when-silent.ts'

/** The field that says how the files were made. */
const MADE = 'made'
const MAX_MADE_BYTES = 64 * 1024

interface Reading {
  readonly stage: Stage
  /** The folder of the staged files. */
  readonly folder: string
  readonly onBytes: (bytes: number) => void
}

interface Wanted<M extends object | null> {
  /** How many files must have bytes. */
  readonly least: number
  readonly missing: Code
  /** Reads the field `made` beside files of these names; answers a code where it is refused. */
  readonly judge: (sent: unknown, names: ReadonlySet<string>) => M | Code
}

interface Form<M> {
  /** By their names, without those that are missing, empty or no file. */
  readonly files: Map<string, StagedFile>
  /** Undefined where nothing is said. */
  readonly made: M | undefined
}

/**
 * Reads a multipart body to its end and stages the named parts; all others are discarded. Once the request cannot succeed
 * any more the rest is only drained, so that the sender reads the answer.
 * Errors, in this order: a broken body (invalid_request), request_timeout, those of `stage`; `missing`, where fewer than `least`
 * have bytes; a part twice (invalid_request); those of `judge`; file_too_large.
 */
export async function readParts<M extends object | null>(
  request: FastifyRequest,
  names: readonly string[],
  { least, missing, judge }: Wanted<M>,
  { stage, folder, onBytes }: Reading,
): Promise<Form<M>> {
  const files = new Map<string, StagedFile>()
  const seen = new Set<string>()
  const withBytes = new Set<string>()
  const said: unknown[] = []
  let twice = false
  let tooLarge: string | undefined
  for await (const part of partsOf(request)) {
    const { fieldname: name, filename, file } = part
    const isText = filename === undefined && part.mimetype !== 'application/octet-stream'
    if (name === MADE) said.push(isText ? await jsonOf(file).catch(refuseBroken) : undefined)
    if (said.length > 1) twice = true
    const wanted = names.includes(name)
    if (wanted && seen.has(name)) twice = true
    if (wanted) seen.add(name)
    if (!wanted || isText || twice || tooLarge) {
      if (wanted && !isText) file.once('data', () => withBytes.add(name))
      file.resume()
      continue
    }
    const given = filename === undefined ? null : fromForm(filename)
    const staged = await stage(file, join(folder, name), given).catch(refuseBroken)
    onBytes(staged.sizeBytes)
    files.set(name, staged)
    if (staged.sizeBytes > 0) withBytes.add(name)
    if (file.truncated) tooLarge = name
  }
  if (withBytes.size < least) throw new AppError(missing)
  if (twice)
    throw new AppError('invalid_request', { errors: [{ path: '', message: 'a part was sent twice' }] })
  const made = said.length === 0 ? undefined : judge(said[0], withBytes)
  if (typeof made === 'string') throw madeRefused(made)
  if (tooLarge !== undefined)
    throw new AppError('file_too_large', {
      errors: [{ path: tooLarge, message: PROBLEMS.file_too_large.detail }],
    })
  return { files: new Map([...files].filter(([, { sizeBytes }]) => sizeBytes > 0)), made }
}

export const madeRefused = (code: Code): AppError =>
  new AppError(code, { errors: [{ path: MADE, message: 'must say how each file was made' }] })

/** All as streams: the parser refuses a whole form for one text that says of itself that it is JSON, and is not. */
async function* partsOf(request: FastifyRequest): AsyncGenerator<Part> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  if (request.raw.destroyed) throw new AppError('request_timeout') // its sender has gone: the parser would wait for ever
  const parts = request.parts({ isPartAFile: () => true }) as AsyncIterable<Part>
  endWhenSilent(request.raw)
  try {
    yield* parts
  } catch (error) {
    refuseBroken(error)
  }
}

/** An error of the parser is the sender's; an error of ours passes. */
function refuseBroken(error: unknown): never {
  if (error instanceof AppError) throw error
  throw new AppError('invalid_request', {
    errors: [{ path: '', message: 'the form is broken' }],
    cause: error,
  })
}

/** JSON of a text part. Undefined when it is none. */
async function jsonOf(text: AsyncIterable<Buffer>): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of text) {
    size += chunk.length
    if (size <= MAX_MADE_BYTES) chunks.push(chunk)
  }
  try {
    return size > MAX_MADE_BYTES ? undefined : JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

type Part = Omit<MultipartFile, 'filename'> & { readonly filename: string | undefined }
