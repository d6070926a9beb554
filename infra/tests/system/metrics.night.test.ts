import { readFile } from 'node:fs/promises'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { caller, productOfFile } from '../support/callers.ts'
import { buyCredits, signIn } from '../support/person.ts'

const product = productOfFile()

interface Family {
  readonly type: string
  readonly labels: ReadonlySet<string>
  readonly values: ReadonlySet<string>
}

const COMPUTED = new Set(['service', 'le', 'quantile'])

/** Prometheus' text format, as far as it is used here. */
function familiesOf(text: string): Map<string, Family> {
  const families = new Map<string, { type: string; labels: Set<string>; values: Set<string> }>()
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (name !== undefined && type !== undefined)
      families.set(name, { type, labels: new Set(), values: new Set() })
    const [, sample = '', inside = ''] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    const family = families.get(sample) ?? families.get(sample.replace(/_(bucket|sum|count)$/, ''))
    for (const [, label = '', value = ''] of inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (COMPUTED.has(label)) continue
      family?.labels.add(label)
      family?.values.add(value)
    }
  }
  return families
}

/** The rows of docs/operations/metrics.md. */
async function documented() {
  const page = await readFile(new URL('../../../docs/operations/metrics.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^\| `(\w+)`\s*\| (\w+)\s*\| ([\w, ]*?)\s*\| ([\w, ]+?)\s*\|/gm)].map(
    ([, name = '', type = '', labels = '', services = '']) => ({
      name,
      type,
      labels: words(labels),
      services: words(services),
    }),
  )
}
const words = (text: string): string[] => text.split(',').flatMap((word) => word.trim() || [])

async function scrape(): Promise<Map<string, Map<string, Family>>> {
  const { health } = product().endpoints
  const scraped = Object.entries(health).map(async ([service, base]) => {
    const answer = await fetch(`${base}/metrics`)
    return [service, familiesOf(await answer.text())] as const
  })
  return new Map(await Promise.all(scraped))
}

test('what people do and pay is counted from 0 on, so that the first of each is seen to come', async () => {
  const { health } = product().endpoints
  const of = async (service: keyof typeof health): Promise<string> =>
    (await fetch(`${health[service]}/metrics`)).text()
  const NOTHING_YET = [
    ['gateway', 'prelude_events_emitted_total{type="UserRegistered",service="gateway"} 0'],
    ['gateway', 'prelude_sign_ins_total{outcome="email_not_verified",service="gateway"} 0'],
    ['gateway', 'prelude_client_errors_total{page="/",service="gateway"} 0'],
    ['songs', 'prelude_events_emitted_total{type="SongRequested",service="songs"} 0'],
    ['credits', 'prelude_song_charges_total{outcome="charged_later",service="credits"} 0'],
    ['credits', 'prelude_credits_added_total{reason="top_up",service="credits"} 0'],
    ['credits', 'prelude_credits_taken_total{reason="song",service="credits"} 0'],
    ['payments', 'prelude_payments_started_total{method="card",service="payments"} 0'],
    ['payments', 'prelude_payments_succeeded_total{method="naira_transfer",service="payments"} 0'],
    ['payments', 'prelude_payments_credits_total{flow="paid",service="payments"} 0'],
    ['payments', 'prelude_webhooks_total{provider="stripe",outcome="taken",service="payments"} 0'],
  ] as const
  for (const [service, line] of NOTHING_YET) expect((await of(service)).split('\n')).toContain(line)
})

test('every service measures what docs/operations/metrics.md says, under names and labels that say nothing of people', async () => {
  const singer = await signIn(product(), { email: 'measured.singer@prelude.test', name: 'Measured Singer' })
  await singer.post('/api/songs', { lyrics: 'count me', style: 'steady' })
  await buyCredits(singer, 25)
  await eventually(async () =>
    expect((await singer.get<{ credits: number }>('/api/me')).body.credits).toBe(15),
  )
  const { body: me } = await singer.get<{ uid: string }>('/api/me')
  const { body: songs } = await singer.get<{ items: { id: string }[] }>('/api/songs')
  const anyone = caller(product())
  await anyone('GET', '/api/no/such/path/measured.singer@prelude.test')
  await anyone('GET', `/measured/${me.uid}`)

  const expected = await documented()
  const services = await scrape()
  expect(services.size).toBe(6)
  for (const [service, families] of services) {
    const ours = [...families.keys()].filter((name) => name.startsWith('prelude_'))
    const promised = expected.filter((row) => row.services.includes(service) || row.services.includes('all'))
    for (const { name, type } of promised)
      expect([service, name, families.get(name)?.type]).toEqual([service, name, type])
    for (const name of ours) {
      const row = expected.find((one) => one.name === name)
      expect([name, row !== undefined]).toEqual([name, true])
      expect([...(families.get(name)?.labels ?? [])].filter((label) => !row?.labels.includes(label))).toEqual(
        [],
      )
    }
    expect(families.get('process_cpu_seconds_total')?.type).toBe('counter')
    for (const [name, { values }] of families)
      for (const value of values) {
        expect([name, value]).not.toEqual([
          name,
          expect.stringMatching(/@|[0-9a-f]{8}-[0-9a-f]{4}|measured/i),
        ])
        for (const secret of [me.uid, songs.items[0]?.id ?? 'none']) expect(value).not.toContain(secret)
      }
  }
  const SEEN = [
    ['gateway', 'prelude_public_request_duration_seconds'],
    ['gateway', 'prelude_public_problems_total'],
    ['gateway', 'prelude_dependency_call_duration_seconds'],
    ['gateway', 'prelude_sign_ins_total'],
    ['songs', 'prelude_songs_pending'],
    ['songs', 'prelude_event_handling_duration_seconds'],
    ['credits', 'prelude_credits_added_total'],
    ['credits', 'prelude_consumer_lag'],
    ['credits', 'prelude_dead_letters'],
    ['payments', 'prelude_webhooks_total'],
    ['notifier', 'prelude_mails_total'],
    ['notifier', 'prelude_cross_invariant_breaches'], // checked for the first time at once
    ['notifier', 'prelude_job_duration_seconds'],
    ['storage', 'prelude_db_pool_connections'],
    ['storage', 'prelude_dependency_up'],
  ] as const
  // mails and events follow a moment later
  await eventually(async () => {
    const later = await scrape()
    for (const [service, name] of SEEN) {
      const labels = [...(later.get(service)?.get(name)?.labels ?? [])].toSorted()
      expect([name, labels]).toEqual([name, expected.find((row) => row.name === name)?.labels.toSorted()])
    }
  })
})

test('money and requests are counted once they are committed', async () => {
  const valueOf = async (service: string, sample: string): Promise<number> => {
    const base = product().endpoints.health[service] ?? ''
    const text = await (await fetch(`${base}/metrics`)).text()
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`${sample.replace('}', `,service="${service}"}`)} `))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const samples = [
    ['gateway', 'prelude_client_errors_total{page="/statement"}', 1],
    ['payments', 'prelude_payments_credits_total{flow="paid"}', 25],
    ['payments', 'prelude_payments_succeeded_total{method="card"}', 1],
    ['payments', 'prelude_payments_started_total{method="card"}', 1],
    ['credits', 'prelude_credits_added_total{reason="top_up"}', 25],
    ['credits', 'prelude_credits_taken_total{reason="song"}', 10],
    ['credits', 'prelude_song_charges_total{outcome="charged"}', 1],
    ['songs', 'prelude_events_emitted_total{type="SongRequested"}', 1],
  ] as const
  const before = await Promise.all(samples.map(([service, sample]) => valueOf(service, sample)))
  const singer = await signIn(product(), { email: 'counted.singer@prelude.test', name: 'Counted Singer' })
  await buyCredits(singer, 25)
  await eventually(async () =>
    expect((await singer.get<{ credits: number }>('/api/me')).body.credits).toBe(25),
  )
  await singer.post('/api/songs', { lyrics: 'count me', style: 'steady' })
  await singer.post('/api/client-errors', { message: 'x', release: 'index-abc', page: '/statement' })
  await eventually(async () => {
    const after = await Promise.all(samples.map(([service, sample]) => valueOf(service, sample)))
    expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual(samples.map(([, , by]) => by))
  })
})
