import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text in all the encodings in which it is sent. */
export interface Compressed {
  readonly br: Buffer
  readonly gzip: Buffer
  readonly identity: Buffer
}

/** Compresses a text once: the answer is kept until `version` is another one. */
export function keptCompressed(): (version: string, make: () => string) => Compressed {
  let kept: { version: string; compressed: Compressed } | undefined
  return (version, make) => {
    if (kept?.version !== version) kept = { version, compressed: compress(make()) }
    return kept.compressed
  }
}

export function compress(text: string): Compressed {
  const identity = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return { identity, br: brotliCompressSync(identity, { params }), gzip: gzipSync(identity) }
}

export function sendCompressed(request: FastifyRequest, reply: FastifyReply, text: Compressed): FastifyReply {
  const encoding = encodingOf(request.headers['accept-encoding'])
  if (encoding !== 'identity') void reply.header('content-encoding', encoding)
  return reply.header('vary', 'accept-encoding').send(text[encoding])
}

/** The first of ours that the client takes; it names those that it refuses with `q=0`. */
function encodingOf(accepted: string | string[] | undefined): keyof Compressed {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';', 1)[0]?.trim())
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding)) ?? 'identity'
}
