import type { FastifyRequest } from 'fastify'
import { join } from 'node:path'
import { type Code, PROBLEMS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { MultipartFile } from '@fastify/multipart'
import { fromForm } from '../domain/file-name.ts'
import type { Stage, StagedFile } from '../staging.ts'
import { endWhenSilent } from './end-when-silent.ts'

interface Reading {
  readonly stage: Stage
  /** The folder of the staged files. */
  readonly folder: string
  readonly onBytes: (bytes: number) => void
}

/**
 * Reads a multipart body to its end and stages the named parts; all others are discarded. Once the request cannot succeed
 * any more the rest is only drained, so that the sender reads the answer.
 * Answers the files by their names, without those that are missing, empty or no file.
 * Errors, in this order: a broken body (invalid_request), request_timeout, those of `stage`; `missing`, where fewer than `least`
 * have bytes; a part twice (invalid_request); file_too_large.
 */
export async function readParts(
  request: FastifyRequest,
  names: readonly string[],
  { least, missing }: { least: number; missing: Code },
  { stage, folder, onBytes }: Reading,
): Promise<Map<string, StagedFile>> {
  const files = new Map<string, StagedFile>()
  const seen = new Set<string>()
  const withBytes = new Set<string>()
  let twice = false
  let tooLarge: string | undefined
  for await (const part of partsOf(request)) {
    const name = part.fieldname
    const wanted = names.includes(name)
    if (wanted && seen.has(name)) twice = true
    if (wanted) seen.add(name)
    if (part.type !== 'file') continue
    if (!wanted || twice || tooLarge) {
      if (wanted) part.file.once('data', () => withBytes.add(name))
      part.file.resume()
      continue
    }
    const given = part.filename === undefined ? null : fromForm(part.filename)
    const staged = await stage(part.file, join(folder, name), given).catch(refuseBroken)
    onBytes(staged.sizeBytes)
    files.set(name, staged)
    if (staged.sizeBytes > 0) withBytes.add(name)
    if (part.file.truncated) tooLarge = name
  }
  if (withBytes.size < least) throw new AppError(missing)
  if (twice)
    throw new AppError('invalid_request', { errors: [{ path: '', message: 'a part was sent twice' }] })
  if (tooLarge !== undefined)
    throw new AppError('file_too_large', {
      errors: [{ path: tooLarge, message: PROBLEMS.file_too_large.detail }],
    })
  return new Map([...files].filter(([, { sizeBytes }]) => sizeBytes > 0))
}

async function* partsOf(request: FastifyRequest): AsyncGenerator<Part> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  if (request.raw.destroyed) throw new AppError('request_timeout') // its sender has gone: the parser would wait for ever
  const parts = request.parts()
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

type Part = MultipartFile | { readonly type: 'field'; readonly fieldname: string }
