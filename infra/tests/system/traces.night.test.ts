import { type CollectedSpan, traceCollector } from '@prelude/platform/testing'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { buyCredits, signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'
const serviceOf = ({ attributes }: CollectedSpan): string | undefined =>
  attributes.find(({ key }) => key === 'prelude.service')?.value.stringValue

test('one submit is one trace through every service that it touches, and holds no text of people', async () => {
  await using collector = await traceCollector()
  await using product = await startProductProcess({
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  const singer = await signIn(product, { email: 'traced.singer@prelude.test', name: 'Traced Singer' })
  await buyCredits(singer, 25)
  await eventually(async () =>
    expect((await singer.get<{ credits: number }>('/api/me')).body.credits).toBe(25),
  )
  const secret = 'a line that nobody else may read'
  // a client's trace is linked, not continued, and its flag "not sampled" has no effect
  const foreign = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${foreign}-b7ad6b7169203331-00`
  const { status } = await singer.post('/api/songs', { lyrics: secret, style: 'quiet' }, { traceparent })
  expect(status).toBe(201)

  const traceOfSubmit = (): readonly CollectedSpan[] => {
    const submit = collector.spans.find(({ name }) => name === 'POST /api/songs')
    return collector.spans.filter(({ traceId }) => traceId === submit?.traceId)
  }
  await eventually(() => {
    const names = traceOfSubmit().map((span) => `${serviceOf(span) ?? ''} ${span.name}`)
    expect(names).toEqual(
      expect.arrayContaining([
        'gateway POST /api/songs',
        'songs PUT /songs/:id',
        ' append prelude.songs',
        'credits handle SongRequested',
        'notifier handle CreditsCharged',
        'songs handle CreditsCharged',
        'notifier send mail',
        ' mail send', // a call of a port
      ]),
    )
  })
  const { traceId, links } = collector.spans.find(({ name }) => name === 'POST /api/songs')!
  expect(links?.map((link) => link.traceId)).toEqual([foreign])
  expect(traceId).not.toBe(foreign)
  await eventually(() => {
    const logged = product
      .output()
      .split('\n')
      .flatMap((line) =>
        line.startsWith('{') ? [JSON.parse(line) as { msg: string; traceId?: string }] : [],
      )
      .filter((line) => line.traceId === traceId)
    // a mail that was due before songs had recorded the charge has a further line: it is tried again
    expect(logged.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['request', 'event', 'mail sent']))
  })
  const sent = collector.bodies.join('\n')
  for (const text of [secret, 'traced.singer@prelude.test', 'Traced Singer']) expect(sent).not.toContain(text)
})
