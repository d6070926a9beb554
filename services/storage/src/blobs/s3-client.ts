import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type * as Minio from 'minio'
import { ConfigError } from '@prelude/platform'

const require = createRequire(import.meta.url)

/** Loaded where an S3 store is used: it takes a good part of a start. */
export const minio = (): typeof Minio => require('minio') as typeof Minio

/** The limits of the calls that one piece of work makes; the client itself has none. */
interface CallLimits {
  readonly signal?: AbortSignal | undefined
  /** A request without progress for this long is given up. */
  readonly silenceMs: number
}

export interface S3Client {
  readonly client: Minio.Client
  readonly bucket: string
  readonly region: string
  /** Runs `work` with its requests under these limits. */
  limited<T>(limits: CallLimits, work: () => Promise<T>): Promise<T>
  close(): void
}

const SILENCE_MS = 5_000

interface Place {
  readonly endPoint: string
  readonly port: number
  readonly useSSL: boolean
}

/** A client for `s3://key:secret@host:port/bucket?region=…&tls=…` (region us-east-1, TLS unless `tls=false`). */
export function s3Client(text: string): S3Client {
  const url = new URL(text)
  const bucket = decodeURIComponent(url.pathname.slice(1))
  const useSSL = url.searchParams.get('tls') !== 'false'
  if (bucket === '' || url.hostname === '' || url.username === '' || url.password === '')
    throw new ConfigError('Bad settings: BLOBS_URL must be s3://key:secret@host:port/bucket.')
  const place = { endPoint: url.hostname, port: Number(url.port || (useSSL ? 443 : 80)), useSSL }
  const calls = new AsyncLocalStorage<CallLimits>()
  const agent = useSSL ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const { options, region } = accessOf(url, place)
  const client = new (minio().Client)({
    ...options,
    transportAgent: agent,
    transport: {
      request: limitedRequest(useSSL, () => calls.getStore() ?? { silenceMs: SILENCE_MS }),
    },
  })
  return {
    client,
    bucket,
    region,
    limited: (limits, work) => calls.run(limits, work),
    close: () => agent.destroy(),
  }
}

/** Only signs addresses: the same bucket and key under the origin that browsers use. */
export function signingClient(text: string, publicUrl: string): Minio.Client {
  const origin = new URL(publicUrl)
  const useSSL = origin.protocol === 'https:'
  const place = { endPoint: origin.hostname, port: Number(origin.port || (useSSL ? 443 : 80)), useSSL }
  return new (minio().Client)(accessOf(new URL(text), place).options)
}

function accessOf(url: URL, place: Place): { options: Minio.ClientOptions; region: string } {
  const region = url.searchParams.get('region') ?? 'us-east-1'
  return {
    region,
    options: {
      ...place,
      region, // else each client asks for it first
      accessKey: decodeURIComponent(url.username),
      secretKey: decodeURIComponent(url.password),
      retryOptions: { disableRetry: true }, // the caller decides about the next try
    },
  }
}

type Request = typeof httpRequest

/** The client has neither a signal nor a time limit: each of its requests gets both. */
function limitedRequest(useSSL: boolean, limits: () => CallLimits): Request {
  const request = (options: object, onResponse: Parameters<Request>[2]) => {
    const { signal, silenceMs } = limits()
    const started = (useSSL ? httpsRequest : httpRequest)(
      { ...options, timeout: silenceMs, ...(signal && { signal }) },
      onResponse,
    )
    started.on('timeout', () => started.destroy(new Error(`the object store is silent for ${silenceMs} ms`)))
    return started
  }
  return request as Request
}
