import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressOf, listen } from '../http-server.ts'
import { createJobs, type Job, type Jobs, type Release } from './jobs.ts'

export interface GeneratorOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Of the API; its control asks for none. */
  readonly key: string
  /** ms since the epoch */
  readonly clock?: () => number
}

export interface GeneratorStandIn {
  readonly url: string
  stop(): Promise<void>
}

const MAX_FORM_BYTES = 210 * 1024 * 1024
const LONGEST_SECONDS = 24 * 60 * 60
const LISTEN_AGAIN_MS = 1_000
const AUDIO = '/tmp/api_audio/'

/** Starts the stand-in for an ACE-Step 1.5 server: the API routes that the product uses, and a control API. */
export async function startGenerator({
  host,
  port,
  key,
  clock = Date.now,
}: GeneratorOptions): Promise<GeneratorStandIn> {
  const jobs = createJobs(clock)
  let opening: NodeJS.Timeout | undefined
  const open = (at: number) => listen({ host, port: at }, () => (req, res) => void answer(req, res))
  const down = async (seconds: number): Promise<void> => {
    await server.stop()
    const reopen = (): void => {
      open(server.port).then(
        (opened) => (server = opened),
        () => (opening = setTimeout(reopen, LISTEN_AGAIN_MS)), // another program took the port
      )
    }
    opening = setTimeout(reopen, seconds * 1000)
  }
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      const act = /^\/control\/(\w+)$/.exec(req.url ?? '')?.[1]
      if (act !== undefined) await control(act, req, res, { jobs, down })
      else await api(req, res, { jobs, key })
    } catch {
      // a body that is none
      sendJson(res, 400, { detail: 'Invalid request' })
    }
  }
  let server = await open(port)
  return {
    url: addressOf(host, server.port),
    stop: async () => {
      clearTimeout(opening)
      await server.stop()
    },
  }
}

async function control(
  act: string,
  req: IncomingMessage,
  res: ServerResponse,
  { jobs, down }: { jobs: Jobs; down: (seconds: number) => Promise<void> },
): Promise<void> {
  if (req.method !== 'POST') return sendJson(res, 405, { error: 'POST' })
  const { seconds = 0 } = await jsonOf(req)
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= LONGEST_SECONDS))
    return sendJson(res, 400, { error: `seconds must be a number from 0 to ${LONGEST_SECONDS}.` })
  if (act === 'down') {
    res.once('finish', () => void down(seconds))
    res.setHeader('connection', 'close')
  } else if (act === 'busy' || act === 'fail' || act === 'slow') jobs[act](seconds)
  else if (act === 'lose') jobs.lose()
  else return sendJson(res, 404, { error: 'There is no such act.' })
  sendJson(res, 200, {})
}

async function api(
  req: IncomingMessage,
  res: ServerResponse,
  { jobs, key }: { jobs: Jobs; key: string },
): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://generator')
  const route = `${req.method} ${url.pathname}`
  if (route === 'GET /health') return sendData(res, { status: 'ok', service: 'ACE-Step API', version: '1.0' })
  if (req.headers.authorization !== `Bearer ${key}`) return sendJson(res, 401, { detail: 'Invalid API key' })
  if (route === 'GET /v1/stats') return sendData(res, jobs.stats())
  if (route === 'GET /v1/audio') return sendAudio(res, jobs, url.searchParams.get('path') ?? '')
  if (route === 'POST /query_result') {
    const { task_id_list: ids } = await jsonOf(req)
    return sendData(
      res,
      (Array.isArray(ids) ? ids : []).map((id) => resultOf(String(id), jobs.find(String(id)))),
    )
  }
  if (route !== 'POST /release_task') return sendJson(res, 404, { detail: 'Not Found' })
  const release = await releaseOf(req)
  if (!release) return sendJson(res, 200, { data: null, code: 400, error: 'repaint needs src_audio' })
  const released = jobs.release(release)
  if (!released) return sendJson(res, 429, { detail: 'Server busy: queue is full' })
  sendData(res, { task_id: released.id, status: 'queued', queue_position: released.position })
}

/** Null: a part is to be made again of no audio. */
async function releaseOf(req: IncomingMessage): Promise<Release | null> {
  const isForm = req.headers['content-type']?.startsWith('multipart/form-data') === true
  const fields = isForm ? Object.fromEntries(await formOf(req)) : await jsonOf(req)
  const { task_type: type, src_audio: audio, repainting_start: start, repainting_end: end } = fields
  // without it a seed is drawn, whatever `seed` says
  const isDrawn = fields['use_random_seed'] !== false && fields['use_random_seed'] !== 'false'
  const seed = isDrawn ? null : Number(fields['seed'] ?? 0)
  if (type !== 'repaint') return { seed, again: null }
  if (!(audio instanceof File)) return null
  const bytes = Buffer.from(await audio.arrayBuffer())
  return { seed, again: { audio: bytes, start: Number(start ?? 0), end: Number(end ?? Infinity) } }
}

function resultOf(id: string, job: Job | undefined): object {
  if (!job) return { task_id: id, result: '[]', status: 0 }
  const { seed, state } = job
  const status = { queued: 0, running: 0, succeeded: 1, failed: 2 }[state]
  const made = {
    file: `/v1/audio?path=${encodeURIComponent(`${AUDIO}${id}.wav`)}`,
    seed_value: String(seed),
    dit_model: 'acestep-v15-stand-in',
    lm_model: '',
  }
  const result = {
    ...(state === 'succeeded' ? made : { file: '' }),
    ...{ status, metas: {}, stage: state, progress: status === 0 ? 0 : 1 },
    error: state === 'failed' ? 'The job failed.' : null,
  }
  return { task_id: id, result: JSON.stringify([result]), status }
}

function sendAudio(res: ServerResponse, jobs: Jobs, path: string): void {
  const [, id = ''] = /^\/tmp\/api_audio\/([\da-f-]+)\.wav$/.exec(path) ?? []
  const audio = jobs.audioOf(id)
  if (!audio) return sendJson(res, 404, { detail: 'Audio file not found' })
  res.writeHead(200, { 'content-type': 'audio/wav', 'content-length': audio.length }).end(audio)
}

const formOf = async (req: IncomingMessage): Promise<FormData> =>
  new Response(await bytesOf(req), {
    headers: { 'content-type': req.headers['content-type'] ?? '' },
  }).formData()

/** The body may be left out. Errors: it is no JSON object. */
async function jsonOf(req: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await bytesOf(req)).toString('utf8')
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('not an object')
  return value as Record<string, unknown>
}

async function bytesOf(req: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_FORM_BYTES) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const sendData = (res: ServerResponse, data: unknown): void =>
  sendJson(res, 200, { data, code: 200, error: null })

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
