import { randomUUID } from 'node:crypto'
import type { Problem, Share } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { fulfil } from '../../support/audio-files.ts'
import {
  caller,
  giveCredits,
  requestSong,
  sharedProduct,
  somebody,
  type Sending,
  unlockedOperator,
} from '../../support/callers.ts'
import { startCheckout } from '../../support/checkout.ts'
import { type Document, type NamedOperation, operationsOf } from './document.ts'
import { COUNTRY } from './whole-api.ts'

/** Who may call what: every operation of the OpenAPI document in every role. */

const product = await sharedProduct()
const { body: document } = await caller(product)<Document>('GET', '/api/openapi.json')
const { email } = product.endpoints.operator

/** These end sessions, also those of other files. */
const ENDS_SESSIONS = /\/logout|\/operator\/lock$/

const isOpen = ({ operation }: NamedOperation): boolean =>
  (operation.security ?? []).length !== 1 || !('session' in (operation.security?.[0] ?? {}))
const isOperators = ({ path }: NamedOperation): boolean => path.startsWith('/api/operator/')

const operations = operationsOf(document)

/** The status of an answer and its code, without the rest of a stream. The body of the request is broken: access comes first. */
async function answerTo({ name, path }: NamedOperation, cookie = ''): Promise<[number, string | undefined]> {
  const [method = ''] = name.split(' ')
  const leave = new AbortController()
  const { status, ...answer } = await fetch(
    new URL(path.replaceAll(/\{\w+\}/g, randomUUID()), product.endpoints.web),
    {
      method,
      redirect: 'manual',
      signal: leave.signal,
      headers: { cookie, ...COUNTRY, 'content-type': 'application/json' },
      ...(/POST|PUT|PATCH|DELETE/.test(method) && { body: '{broken' }),
    },
  ).then(async (response) => ({
    status: response.status,
    code:
      response.status >= 400 && response.body !== null && method !== 'HEAD'
        ? ((await response.json()) as Problem).code
        : undefined,
  }))
  leave.abort()
  return [status, answer.code]
}

interface Role {
  readonly who: string
  readonly cookie: () => Promise<string>
  /** The refusal of an operation; null where the role may call it. */
  readonly refusal: (one: NamedOperation) => [number, string] | null
}

const ROLES: Role[] = [
  {
    who: 'a visitor',
    cookie: async () => '',
    refusal: (one) => (isOpen(one) ? null : [401, 'not_signed_in']),
  },
  {
    who: 'a visitor with a forged cookie',
    cookie: async () => 'session=forged; __Host-session=forged',
    refusal: (one) => (isOpen(one) ? null : [401, 'not_signed_in']),
  },
  {
    who: 'a person',
    cookie: async () => (await somebody(product)).cookie,
    refusal: (one) => (isOperators(one) ? [403, 'operator_only'] : null),
  },
  {
    who: 'the operator in a locked session',
    cookie: async () => (await somebody(product, { email, name: 'Olu' })).cookie,
    refusal: (one) => (isOperators(one) && !one.path.endsWith('/unlock') ? [403, 'operator_locked'] : null),
  },
  {
    who: 'the operator in an unlocked session',
    cookie: async () => (await unlockedOperator(product)).cookie,
    refusal: () => null,
  },
]

test.for(ROLES)('$who calls what the contract allows and nothing else', async ({ cookie, refusal }) => {
  const session = await cookie()
  const wrong: unknown[] = []
  for (const one of operations.filter(({ path }) => session === '' || !ENDS_SESSIONS.test(path))) {
    const [status, code] = await answerTo(one, session)
    const expected = refusal(one)
    const isAsExpected = expected
      ? status === expected[0] && (code ?? expected[1]) === expected[1]
      : ![401, 403].includes(status)
    if (!isAsExpected) wrong.push([one.name, status, code, expected])
  }
  expect(wrong).toEqual([])
})

/** What an operation on one object is sent, where it needs a body. */
const SENT: Record<string, Sending> = {
  'PATCH /api/songs/{id}': { json: { title: 'Rain' } },
  'POST /api/songs/{id}/messages': { json: { text: 'louder' } },
  'POST /api/songs/{id}/messages/read': { json: { before: 1 } },
  'POST /api/songs/{id}/changes': { json: { notes: [{ version: 1, text: 'louder' }] } },
}

test('objects of another person are as unknown as those that do not exist, in every operation', async () => {
  const [ada, eve, operator] = [
    await somebody(product),
    await somebody(product),
    await unlockedOperator(product),
  ]
  const locked = await somebody(product, { email, name: 'Olu' })
  await giveCredits(operator, ada.uid, 10)
  const song = await requestSong(ada)
  await fulfil(operator, song.id)
  const share = await ada.call<Share>('POST', `/api/songs/${song.id}/shares`, { json: {} })
  const sessions = await ada.call<{ items: { id: string }[] }>('GET', '/api/sessions')
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  const json = { endpoint: `https://push.example/${randomUUID()}`, expirationTime: null, keys }
  const push = await ada.call<{ id: string }>('POST', '/api/push-subscriptions', { json })
  const payment = await startCheckout(ada, 25)
  const ids: Record<string, string | undefined> = {
    songs: song.id,
    payments: payment.id,
    shares: share.body.id,
    sessions: sessions.body.items[0]?.id,
    'push-subscriptions': push.body.id,
  }
  const theirs = operations.filter((one) => one.path.includes('{id}') && !isOpen(one) && !isOperators(one))
  expect(theirs.length).toBeGreaterThan(10)
  for (const { name, path } of theirs) {
    const id = ids[path.split('/')[2] ?? '']
    if (id === undefined) throw new Error(`${name}: no object to try it on`)
    const [method = ''] = name.split(' ')
    const at = (which: string): string => path.replace('{id}', which).replace('{n}', '1')
    for (const stranger of [eve, locked]) {
      const foreign = await stranger.call(method, at(id), SENT[name])
      const unknown = await stranger.call(method, at(randomUUID()), SENT[name])
      expect([name, foreign.status, foreign.body.code]).toEqual([name, 404, unknown.body.code])
    }
  }
  expect((await ada.call('GET', `/api/songs/${song.id}/versions/1`)).status).toBe(200)
  expect((await operator.call('GET', `/api/songs/${song.id}/versions/1`)).status).toBe(200)
  expect((await ada.call('GET', `/api/songs/${song.id}/shares`)).body).toMatchObject({ items: [{}] })
})
