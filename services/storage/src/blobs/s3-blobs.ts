import { createHash } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client, S3Error } from 'minio'
import { once, Unavailable } from '@prelude/platform'
import type { BlobInfo, BlobStore } from './port.ts'
import { exactly } from './exact-size.ts'
import { minio, type S3Client, s3Client, signingClient } from './s3-client.ts'
import { assertObjectPath, isObjectPath } from './object-path.ts'

const PART_BYTES = 8 * 1024 * 1024
/** A store may need a while to put a large object's parts together. */
const PUT_SILENCE_MS = 30_000
/** An object of which nothing comes for this long, while its reader waits for it, is given up, within twice this time. */
const READ_SILENCE_MS = 30_000
const LEFT_BEHIND_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Objects in a bucket of any S3 store; the bucket is made when it is missing. The multipart upload of a large object is our
 * own: the client's one resumes an upload of the same name (so two can mix), and never ends when its source fails.
 */
export function s3Blobs(options: {
  url: string
  publicUrl?: string | undefined
  readSilenceMs?: number
}): BlobStore {
  const s3 = s3Client(options.url)
  const { client, bucket } = s3
  const signing = options.publicUrl ? signingClient(options.url, options.publicUrl) : null
  const ready = once(() => prepare(s3))
  /** One call about an object. */
  const ask = async <T>(path: string, call: () => Promise<T>): Promise<T> => {
    assertObjectPath(path)
    return ready().then(call).catch(unavailable)
  }

  const put: BlobStore['put'] = async (path, source, { sizeBytes, contentType, signal }) => {
    try {
      assertObjectPath(path)
      await ready().catch(unavailable)
      signal?.throwIfAborted()
      await s3.limited({ signal, silenceMs: PUT_SILENCE_MS }, () =>
        upload(s3, path, source, { sizeBytes, contentType, signal }),
      )
    } catch (error) {
      source.destroy()
      throw error
    }
  }

  return {
    put,

    // opened first: a stream whose file is missing fails before a listener is attached
    putFile: async (path, file, options) => put(path, (await openFile(file)).createReadStream(), options),

    get: async (path, range) =>
      ask(path, async () => {
        const asked = range
          ? client.getPartialObject(bucket, path, range.start, range.end - range.start + 1)
          : client.getObject(bucket, path)
        const body = (await asked.catch(nullIfMissing)) as IncomingMessage | null
        return body && endWhenSilent(body, options.readSilenceMs ?? READ_SILENCE_MS)
      }),

    head: async (path) =>
      ask(path, async () => {
        const found = await client.statObject(bucket, path).catch(nullIfMissing)
        return found && { path, sizeBytes: found.size, modifiedAt: found.lastModified.getTime() }
      }),

    delete: async (path) => {
      await ask(path, () => client.removeObject(bucket, path).catch(nullIfMissing))
    },

    list: (prefix) => list(s3, ready, prefix),

    publicUrl: async (path, expiresMs, disposition) => {
      if (!signing) return null
      assertObjectPath(path)
      return signing.presignedGetObject(bucket, path, Math.max(1, Math.floor(expiresMs / 1000)), {
        ...(disposition !== undefined && { 'response-content-disposition': disposition }),
      })
    },

    ping: async () => {
      await ready().catch(unavailable)
      if (!(await client.bucketExists(bucket).catch(unavailable)))
        throw new Unavailable('the object store', new Error('the bucket is gone'))
    },

    close: async () => s3.close(),
  }
}

/** A listener may pause for as long as it likes: then there are bytes that it has not read, or none to come. */
function endWhenSilent(body: IncomingMessage, silenceMs: number): IncomingMessage {
  body.setTimeout(0)
  let waitedAt: number | null = null
  const timer = setInterval(() => {
    const { bytesRead } = body.socket
    const isWaiting = body.readableLength === 0 && !body.complete
    if (isWaiting && waitedAt === bytesRead) body.destroy(new Error('the object store is silent'))
    waitedAt = isWaiting ? bytesRead : null
  }, silenceMs)
  return body.once('close', () => clearInterval(timer))
}

/** Makes the bucket if there is none, and clears what uploads of a killed process left. */
async function prepare({ client, bucket, region }: S3Client): Promise<void> {
  if (!(await client.bucketExists(bucket)))
    await client.makeBucket(bucket, region).catch((error: unknown) => {
      if (codeOf(error) !== 'BucketAlreadyOwnedByYou' && codeOf(error) !== 'BucketAlreadyExists') throw error
    })
  // a key without the right leaves that to a rule of the store
  await clearUploads(client, bucket).catch((error: unknown) => {
    if (codeOf(error) !== 'AccessDenied') throw error
  })
}

async function clearUploads(client: Client, bucket: string): Promise<void> {
  for await (const upload of client.listIncompleteUploads(bucket, '', true)) {
    const { key, uploadId, initiated } = upload as { key: string; uploadId: string; initiated: Date }
    if (initiated.getTime() < Date.now() - LEFT_BEHIND_AFTER_MS)
      await client.abortMultipartUpload(bucket, key, uploadId)
  }
}

interface PutOptions {
  readonly sizeBytes: number
  readonly contentType: string
  readonly signal?: AbortSignal | undefined
}

async function upload(s3: S3Client, key: string, source: Readable, options: PutOptions): Promise<void> {
  const { sizeBytes, contentType, signal } = options
  const checked = exactly(sizeBytes)
  const flow = pipeline(source, checked, { ...(signal && { signal }) })
  flow.catch(() => {}) // `checked` fails with it, and so does its reader
  const parts = partsOf(checked)
  const headers = { 'Content-Type': contentType }
  if (sizeBytes > PART_BYTES) return uploadParts(s3, key, parts, headers)
  let whole: Buffer = Buffer.alloc(0)
  for await (const part of parts) whole = part
  await s3.client.putObject(s3.bucket, key, whole, whole.length, headers).catch(unavailable)
}

async function uploadParts(
  s3: S3Client,
  key: string,
  parts: AsyncIterable<Buffer>,
  headers: Record<string, string>,
): Promise<void> {
  const { client, bucket } = s3
  const uploadId = await client.initiateNewMultipartUpload(bucket, key, headers).catch(unavailable)
  try {
    const done: { part: number; etag: string }[] = []
    for await (const part of parts) {
      const target = { bucketName: bucket, objectName: key, uploadID: uploadId, partNumber: done.length + 1 }
      const md5 = createHash('md5').update(part).digest('base64') // the store refuses a part that was damaged in transit
      done.push(
        await client.uploadPart({ ...target, headers: { 'Content-MD5': md5 } }, part).catch(unavailable),
      )
    }
    await client.completeMultipartUpload(bucket, key, uploadId, done).catch(unavailable)
  } catch (error) {
    // under limits of its own: those of the put may have ended it. The next start clears what this one leaves
    await s3
      .limited({ silenceMs: PUT_SILENCE_MS }, () => client.abortMultipartUpload(bucket, key, uploadId))
      .catch(() => {})
    throw error
  }
}

/** Parts of full size, and the rest. */
async function* partsOf(source: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < PART_BYTES) continue
    const joined = Buffer.concat(chunks)
    const whole = bytes - (bytes % PART_BYTES)
    for (let at = 0; at < whole; at += PART_BYTES) yield joined.subarray(at, at + PART_BYTES)
    chunks = [joined.subarray(whole)]
    bytes -= whole
  }
  if (bytes > 0) yield Buffer.concat(chunks)
}

async function* list(s3: S3Client, ready: () => Promise<void>, prefix: string): AsyncGenerator<BlobInfo> {
  await ready().catch(unavailable)
  try {
    for await (const item of s3.client.listObjectsV2(s3.bucket, prefix, true)) {
      const { name, size, lastModified } = item as { name?: string; size: number; lastModified: Date }
      if (name !== undefined && isObjectPath(name))
        yield { path: name, sizeBytes: size, modifiedAt: lastModified.getTime() }
    }
  } catch (error) {
    unavailable(error)
  }
}

const isRefusal = (error: unknown): error is S3Error => error instanceof minio().S3Error

const codeOf = (error: unknown): unknown => (isRefusal(error) ? error.code : undefined)

function nullIfMissing(error: unknown): null {
  if (['NoSuchKey', 'NotFound'].includes(String(codeOf(error)))) return null
  throw error
}

/** The store's own refusals stay as they are; no answer at all is Unavailable. */
function unavailable(error: unknown): never {
  if (isRefusal(error) || error instanceof Unavailable) throw error
  throw new Unavailable('the object store', error)
}
