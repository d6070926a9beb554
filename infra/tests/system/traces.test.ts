import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { buyCredits, signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

const POLL = { timeout: 30_000, interval: 100 }

interface Seen {
  readonly traceId: string
  readonly name: string
  readonly service: string | undefined
  /** Trace ids. */
  readonly links: readonly string[]
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string
        readonly name: string
        readonly links?: readonly { readonly traceId: string }[]
        readonly attributes: readonly { key: string; value: { stringValue?: string } }[]
      }[]
    }[]
  }[]
}

/** What an OpenTelemetry collector is sent over OTLP and HTTP. */
async function startCollector() {
  const spans: Seen[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        bodies.push(JSON.stringify(body))
        for (const span of (body as Otlp).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap((one) => one.spans),
        ))
          spans.push({
            traceId: span.traceId,
            name: span.name,
            links: (span.links ?? []).map(({ traceId }) => traceId),
            service: span.attributes.find(({ key }) => key === 'prelude.service')?.value.stringValue,
          })
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      },
      () => response.writeHead(400).end(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test(
  'one submit is one trace through every service that it touches, and holds no text of people',
  { timeout: 120_000 },
  async () => {
    await using collector = await startCollector()
    await using product = await startProductProcess({
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    })
    const singer = await signIn(product, { email: 'traced.singer@prelude.test', name: 'Traced Singer' })
    await buyCredits(singer, 25)
    await vi.waitFor(
      async () => expect((await singer.get<{ credits: number }>('/api/me')).body.credits).toBe(25),
      POLL,
    )
    const secret = 'a line that nobody else may read'
    // a client's trace is linked, not continued, and its flag "not sampled" has no effect
    const foreign = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${foreign}-b7ad6b7169203331-00`
    const { status } = await singer.post('/api/songs', { lyrics: secret, style: 'quiet' }, { traceparent })
    expect(status).toBe(201)

    const traceOfSubmit = (): readonly Seen[] => {
      const submit = collector.spans.find(({ name }) => name === 'POST /api/songs')
      return collector.spans.filter(({ traceId }) => traceId === submit?.traceId)
    }
    await vi.waitFor(() => {
      const names = traceOfSubmit().map(({ name, service }) => `${service ?? ''} ${name}`)
      expect(names).toEqual(
        expect.arrayContaining([
          'gateway POST /api/songs',
          'songs PUT /songs/:id',
          'credits handle SongRequested',
          'notifier handle CreditsCharged',
          'songs handle CreditsCharged',
          'notifier send mail',
          ' mail send', // a call of a port
        ]),
      )
    }, POLL)
    const { traceId, links } = collector.spans.find(({ name }) => name === 'POST /api/songs')!
    expect(links).toEqual([foreign])
    expect(traceId).not.toBe(foreign)
    await vi.waitFor(() => {
      const logged = product
        .output()
        .split('\n')
        .flatMap((line) =>
          line.startsWith('{') ? [JSON.parse(line) as { msg: string; traceId?: string }] : [],
        )
        .filter((line) => line.traceId === traceId)
      // a mail that was due before songs had recorded the charge has a further line: it is tried again
      expect(logged.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['request', 'event', 'mail sent']))
    }, POLL)
    const sent = collector.bodies.join('\n')
    for (const text of [secret, 'traced.singer@prelude.test', 'Traced Singer'])
      expect(sent).not.toContain(text)
  },
)
