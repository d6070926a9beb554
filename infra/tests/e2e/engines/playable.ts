import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SAMPLES } from '@prelude/storage/testing'

/** After a click, without which nothing may play, it plays each sample, muted, until it has moved on or fails, eight at a time; then sends whether each played. */
const PAGE = `<!doctype html><title>Samples</title><button>Play</button><script type="module">
const plays = (n) => new Promise((resolve) => {
  const audio = document.body.appendChild(new Audio()) // else it may be collected while it loads
  audio.muted = true
  const end = (played) => {
    resolve(played)
    audio.removeAttribute('src')
    audio.load()
  }
  audio.addEventListener('error', () => end(false), { once: true })
  audio.addEventListener('timeupdate', () => audio.currentTime > 0.1 && end(true))
  audio.src = '/' + n
  audio.play().catch(() => {})
})
await new Promise((resolve) => document.querySelector('button').addEventListener('click', resolve))
const played = []
for (let n = 0; n < ${SAMPLES.length}; n += 8) {
  const batch = Array.from({ length: Math.min(8, ${SAMPLES.length} - n) }, (_, i) => plays(n + i))
  played.push(...(await Promise.all(batch)))
}
await fetch('/', { method: 'POST', body: JSON.stringify(played) })
</script>`

/** The names of the samples that play in the browser in which `start` opens a page and presses its button. */
export async function playedIn(start: (url: string) => Promise<unknown>): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<boolean[]>()
  const server = createServer((request, reply) => {
    if (request.method !== 'POST') return serve(request, reply)
    void buffer(request).then((body) => resolve(JSON.parse(body.toString()) as boolean[]))
    reply.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const played = await promise
    return SAMPLES.filter((_, n) => played[n]).map(({ what }) => what)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function serve({ url = '/', headers }: IncomingMessage, reply: ServerResponse): void {
  const sample = url === '/' ? undefined : SAMPLES[Number(url.slice(1))]
  if (!sample) return void reply.setHeader('content-type', 'text/html').end(PAGE)
  const bytes = sample.make()
  reply.setHeader('content-type', sample.contentType).setHeader('accept-ranges', 'bytes')
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (from === undefined) return void reply.end(bytes)
  const end = Math.min(bytes.length, to ? Number(to) + 1 : bytes.length)
  reply.statusCode = 206
  reply.setHeader('content-range', `bytes ${from}-${end - 1}/${bytes.length}`)
  reply.end(bytes.subarray(Number(from), end))
}

export const playableIn = (engine: string): string[] =>
  SAMPLES.filter(({ plays }) => plays.includes(engine.charAt(0))).map(({ what }) => what)
