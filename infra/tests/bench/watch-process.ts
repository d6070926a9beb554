import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Watch, WatchResult } from './watch.ts'
import { percentile } from './work.ts'

/** The streams and the submits as a process: reads a Watch from stdin, prints a WatchResult. */
const watch = (await json(process.stdin)) as Watch
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const sentAt = new Map<string, number>()
const seen = new Map<string, number>()
const charged = new Map<string, number>()
const answers: number[] = []
let inOrder = true
let lastEventAt = 0
let lastAnswerAt = 0

await Promise.all(watch.watchers.map(openStream))
await submitAll()
await settled()
const result: WatchResult = {
  answer: percentiles(answers),
  seen: percentiles([...seen.values()]),
  charged: percentiles([...charged.values()]),
  inOrder,
  lastAfterAnswersMs: lastEventAt - lastAnswerAt,
}
process.stdout.write(JSON.stringify(result), () => process.exit(0))

function openStream(cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const revisions = new Map<string, number>()
    let rest = ''
    const onData = (chunk: string): void => {
      rest += chunk
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const [event = '', data = ''] = rest.slice(0, end).split('\n')
        rest = rest.slice(end + 2)
        if (event === 'event: ready') resolve()
        if (event === 'event: song') onSong(JSON.parse(data.slice('data: '.length)), revisions)
      }
    }
    request(
      new URL('/api/live', watch.url),
      { headers: { cookie }, agent: false },
      (response: IncomingMessage) => {
        if (response.statusCode !== 200)
          reject(new Error(`a stream was refused: ${String(response.statusCode)}`))
        response.setEncoding('utf8').on('data', onData)
      },
    )
      .on('error', reject)
      .end()
  })
}

function onSong(
  song: { id: string; revision: number; charge: string },
  revisions: Map<string, number>,
): void {
  const now = performance.now()
  lastEventAt = now
  if (song.revision < (revisions.get(song.id) ?? 0)) inOrder = false
  revisions.set(song.id, song.revision)
  if (!seen.has(song.id)) seen.set(song.id, now)
  if (song.charge === 'charged' && !charged.has(song.id)) charged.set(song.id, now)
}

async function submitAll(): Promise<void> {
  const started = performance.now()
  const submits: Promise<void>[] = []
  for (let i = 0; i < watch.submits; i++) {
    const due = started + (i * 1_000) / watch.perSecond
    const wait = due - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    submits.push(submit(watch.callers[i % watch.callers.length] ?? ''))
  }
  await Promise.all(submits)
}

function submit(cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const at = performance.now()
    const body = JSON.stringify({ lyrics: 'la '.repeat(100), style: 'slow soul' })
    const headers = { cookie, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    request(new URL('/api/songs', watch.url), { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        if (response.statusCode !== 201) return reject(new Error(`refused: ${String(response.statusCode)}`))
        lastAnswerAt = performance.now()
        answers.push(lastAnswerAt - at)
        sentAt.set((JSON.parse(text) as { id: string }).id, at)
        resolve()
      })
    })
      .on('error', reject)
      .end(body)
  })
}

/** Waits until every song is charged on its stream, or no event has arrived for five seconds. */
async function settled(): Promise<void> {
  const missing = (): boolean => [...sentAt.keys()].some((id) => !charged.has(id))
  while (missing() && performance.now() - Math.max(lastEventAt, lastAnswerAt) < 5_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
  for (const times of [seen, charged])
    for (const [id, at] of times) {
      const from = sentAt.get(id)
      if (from === undefined) times.delete(id)
      else times.set(id, at - from)
    }
  if (seen.size < sentAt.size) throw new Error(`${sentAt.size - seen.size} songs never arrived on a stream`)
}

function percentiles(times: readonly number[]): { p50Ms: number; p99Ms: number } {
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}
