import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MAX_AUDIO_BYTES } from '@prelude/contracts'
import { NotConnected } from './port.ts'

/** Limits of one exchange with a server that may be hostile. */
export interface Limits {
  /** Until a connection stands. */
  readonly connectMs: number
  /** Without a byte in either direction. */
  readonly silenceMs: number
  /** Until a JSON answer is complete; of a request with a file. */
  readonly answerMs: number
  readonly uploadMs: number
  readonly jsonBytes: number
  readonly fileBytes: number
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  silenceMs: 60_000,
  answerMs: 60_000,
  uploadMs: 600_000,
  jsonBytes: 4 * 1024 * 1024,
  fileBytes: MAX_AUDIO_BYTES,
}

export interface Sent {
  readonly path: string
  /** Absent: GET. */
  readonly body?: Readable | string
  readonly contentType?: string
}

export interface Server {
  readonly origin: string
  readonly key: string | null
  readonly limits: Limits
}

/** `value` is undefined where the body is not JSON. Errors: NotConnected; any other once a connection stood. */
export async function askJson(
  server: Server,
  sent: Sent,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly value: unknown }> {
  const { answerMs, uploadMs, jsonBytes } = server.limits
  const isUpload = sent.body instanceof Readable
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(isUpload ? uploadMs : answerMs)])
  const answer = await exchange(server, sent, inTime)
  const chunks: Buffer[] = []
  await pipeline(answer, atMost(jsonBytes), async (bytes: AsyncIterable<Buffer>) => {
    for await (const chunk of bytes) chunks.push(chunk)
  })
  return { status: answer.statusCode ?? 0, value: parsed(Buffer.concat(chunks).toString('utf8')) }
}

/**
 * Writes the answer to a GET into a file. Errors: NotConnected; others after it was connected, also for a status other than 200 and
 * for a body that is too long.
 */
export async function askFile(
  server: Server,
  path: string,
  into: string,
  signal: AbortSignal,
): Promise<void> {
  const answer = await exchange(server, { path }, signal)
  if (answer.statusCode !== 200) {
    answer.destroy()
    throw new Error(`it answered ${answer.statusCode}`)
  }
  await pipeline(answer, atMost(server.limits.fileBytes), createWriteStream(into))
}

/** What an error of the above says to a person. */
export const saidBy = (error: unknown): string => {
  const { name, message, code } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return 'it took too long'
  return code === 'ECONNRESET' ? 'its connection broke' : message
}

/** On a connection of its own: a kept one may be closed while a request is sent. A redirect is an answer like any other. */
function exchange(
  { origin, key, limits }: Server,
  sent: Sent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(sent.path, origin)
  const isTls = url.protocol === 'https:'
  const { connectMs, silenceMs } = limits
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(url, {
      method: sent.body === undefined ? 'GET' : 'POST',
      agent: false,
      signal,
      timeout: silenceMs,
      headers: {
        accept: '*/*',
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(sent.contentType !== undefined && { 'content-type': sent.contentType }),
      },
    })
    let isConnected = false
    let answering: IncomingMessage | undefined
    const connecting = setTimeout(
      () => request.destroy(new Error(`no connection within ${connectMs / 1000} s`)),
      connectMs,
    )
    request
      .on('socket', (socket) =>
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true
          clearTimeout(connecting)
        }),
      )
      .on('timeout', () => {
        const error = new Error(`nothing came for ${silenceMs / 1000} s`)
        if (answering) answering.destroy(error)
        else request.destroy(error)
      })
      .on('error', (error) => reject(isConnected ? error : new NotConnected(error.message, { cause: error })))
      .once('close', () => clearTimeout(connecting))
      .once('response', (answer) => {
        answering = answer
        resolve(answer)
      })
    if (sent.body instanceof Readable)
      pipeline(sent.body, request).catch((error: Error) => request.destroy(error))
    else request.end(sent.body)
  })
}

function atMost(maxBytes: number): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxBytes) done(new Error(`its answer is longer than ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
