import { numberTypes, open, systemClock } from '@prelude/platform'
import { storeCheck } from '@prelude/storage'
import pg from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { checkInvariants } from '../../invariants/check.ts'
import { SOURCES, unhandled } from '../../invariants/events.ts'
import type { Instance } from '../../stack/services.ts'
import type { Stack } from '../../stack/stack.ts'
import { buyCredits, type Person, signIn } from '../support/person.ts'

/** A running stack under a drill. */
export interface Scene {
  readonly stack: Stack
  /** A line for the summary. */
  note(text: string): void
}

export interface Drill {
  readonly name: string
  /** Ends with all services and servers running. Errors: one sentence about what did not hold. */
  run(scene: Scene): Promise<void>
}

export interface Reply<T> {
  /** 0: no answer. */
  readonly status: number
  readonly ms: number
  readonly body: T
  readonly location: string | null
}

const ANSWER_WITHIN_MS = 15_000

/** One request to the public endpoint; never rejects. */
export async function ask<T = { code?: string }>(
  { stack }: Scene,
  person: Pick<Person, 'cookie'> | null,
  method: string,
  path: string,
  sending: { json?: unknown; form?: FormData; key?: string } = {},
): Promise<Reply<T>> {
  const began = performance.now()
  const body = sending.form ?? (sending.json === undefined ? undefined : JSON.stringify(sending.json))
  try {
    const response = await fetch(new URL(path, stack.endpoints.web), {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(sending.form ? 10 * ANSWER_WITHIN_MS : ANSWER_WITHIN_MS),
      headers: {
        ...(person && { cookie: person.cookie }),
        ...(sending.json !== undefined && { 'content-type': 'application/json' }),
        ...(sending.key !== undefined && { 'idempotency-key': sending.key }),
      },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    const { status, headers } = response
    const parsed = (isJson ? JSON.parse(text) : text) as T
    return { status, ms: performance.now() - began, body: parsed, location: headers.get('location') }
  } catch {
    return { status: 0, ms: performance.now() - began, body: {} as T, location: null }
  }
}

/** Throws `sentence` unless `holds`. */
export function must(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence)
}

/** Polls until `check` answers null instead of what is still wrong; answers after how many ms. */
export async function until(
  what: string,
  withinMs: number,
  check: () => Promise<string | null> | string | null,
): Promise<number> {
  const began = performance.now()
  for (;;) {
    const wrong = await check()
    const ms = performance.now() - began
    if (wrong === null) return ms
    must(ms < withinMs, `${what} not within ${withinMs / 1000} s: ${wrong}`)
    await delay(100)
  }
}

let people = 0

/** Signs in a new person and buys that many credits. */
export async function someone(scene: Scene, credits = 0): Promise<Person> {
  const person = await signIn(scene.stack, { email: `drill-${++people}@example.test`, name: 'Ada Obi' })
  if (credits === 0) return person
  await buyCredits(person, credits)
  await balanceIs(scene, person, credits)
  return person
}

export const balanceIs = (scene: Scene, person: Person, balance: number): Promise<number> =>
  until(`a balance of ${balance}`, 60_000, async () => {
    const { body } = await ask<{ balance?: number }>(scene, person, 'GET', '/api/credits')
    return body.balance === balance ? null : `it is ${body.balance}`
  })

export async function unlockedOperator(scene: Scene): Promise<Person> {
  const { email, password } = scene.stack.endpoints.operator
  const operator = await signIn(scene.stack, { email, name: 'Olu' })
  const { status } = await operator.post('/api/operator/unlock', { password })
  must(status === 204, `the operator's panel is not unlocked: ${status}`)
  return operator
}

export const instancesOf = ({ stack }: Scene, service: string): readonly Instance[] =>
  stack.instances.filter((instance) => instance.service === service)

/** Waits until every event is handled. */
export const settle = (scene: Scene, withinMs = 90_000): Promise<number> =>
  withDatabase(scene, (query) =>
    until('all events handled', withinMs, async () => {
      const [row] = await query(`select (${UNHANDLED})::int as unhandled`)
      const unhandled = Number(row?.['unhandled'])
      return unhandled === 0 ? null : `${unhandled} events not handled`
    }),
  )

const UNHANDLED = Object.entries(SOURCES)
  .flatMap(([consumer, sources]) =>
    sources.map((source) => `(select count(*) from (${unhandled(consumer, source)}) waiting)`),
  )
  .join(' + ')

export async function withDatabase<T>(
  { stack }: Scene,
  work: (query: (sql: string) => Promise<Record<string, unknown>[]>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: stack.servers.adminUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the query in flight rejects
  await client.connect()
  try {
    return await work(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows)
  } finally {
    await client.end()
  }
}

/** The end of each drill: all invariants hold, and the store has exactly the objects that are served. */
export async function checkAll(scene: Scene): Promise<number> {
  const { adminUrl, blobsUrl } = scene.stack.servers
  const findings = await checkInvariants(adminUrl, Date.now())
  const broken = findings.filter(({ breaches }) => breaches > 0)
  must(broken.length === 0, `invariants are broken: ${broken.map(({ name }) => name).join('; ')}`)
  const client = new pg.Client({
    connectionString: adminUrl,
    types: numberTypes,
    options: '-c search_path=storage',
  })
  client.on('error', () => {}) // the query in flight rejects
  const blobs = open.blobs(blobsUrl)
  await client.connect()
  try {
    const query = async <R>(sql: string, params: readonly unknown[] = []) => {
      const { rows, rowCount } = await client.query(sql, [...params])
      return { rows: rows as R[], rowCount: rowCount ?? 0 }
    }
    const stored = await storeCheck({ query }, blobs, systemClock)
    must(
      stored.findings.length === 0,
      `the store does not match the objects that are served: ${JSON.stringify(stored.findings[0])}`,
    )
  } finally {
    await Promise.all([client.end(), blobs.close()])
  }
  return findings.length + 1
}
