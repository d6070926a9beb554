import { once } from 'node:events'
import { request } from 'node:http'
import { eventually } from '@prelude/platform/eventually'
import { beforeAll, expect, test } from 'vitest'
import type { Song } from '@prelude/contracts'
import { heal, poison } from '../../support/poison.ts'
import {
  expectRefusal,
  giveCredits,
  productOfFile,
  type Somebody,
  somebody,
  submit,
  unlockedOperator,
} from '../../support/callers.ts'

const product = productOfFile()
let operator: Somebody

beforeAll(async () => {
  operator = await unlockedOperator(product())
})

interface Letter {
  readonly service: string
  readonly id: number
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly error: string
  readonly behind: number
}

interface Ops {
  readonly services: readonly {
    readonly service: string
    readonly state: string
    readonly instances: readonly {
      readonly id: string
      readonly leads: boolean
      readonly dependencies: readonly { name: string; state: string }[]
    }[]
    readonly backlog: { events: number; ageSeconds: number } | null
    readonly topics: readonly { topic: string; lag: number | null; deadLetters: number; parkedKeys: number }[]
    readonly gauges: Record<string, number>
  }[]
  readonly deadLetters: readonly Letter[]
  readonly mails: readonly { id: string; kind: string; state: string; uid: string }[] | null
  readonly problems: readonly { code: string; route: string; count: number; instance: string }[]
}

const ops = async (): Promise<Ops> => (await operator.call<Ops>('GET', '/api/operator/ops')).body

const letterOf = (uid: string): Promise<Letter> =>
  eventually(async () => {
    const letter = (await ops()).deadLetters.find(({ key }) => key === uid)
    expect(letter).toBeDefined()
    return letter as Letter
  })

const act = (letter: Letter, what: string, json: object = {}) =>
  operator.call<{ outcome: string }>(
    'POST',
    `/api/operator/ops/dead-letters/${letter.service}/${letter.id}/${what}`,
    {
      json,
    },
  )

const chargeOf = async (singer: Somebody, id: string): Promise<string> =>
  (await singer.call<Song>('GET', `/api/songs/${id}`)).body.charge

const audited = async (action: string, target: string) => {
  const { body } = await operator.call<{
    items: { action: string; target: string; outcome: string; detail: string }[]
  }>('GET', '/api/operator/audit?limit=100')
  return body.items
    .filter((row) => row.action === action && row.target === target)
    .map((row) => [row.outcome, row.detail])
}

test('a discarded event has no effect, and later events of its key are handled', async () => {
  const singer = await somebody(product())
  await giveCredits(operator, singer.uid, 25)
  await poison(product(), singer.uid)
  const lost = await submit(singer)
  const letter = await letterOf(singer.uid)
  const next = await submit(singer)
  await heal(product())
  expectRefusal(await act(letter, 'discard'), 400, 'invalid_request')
  const reason = 'the song was made twice'
  expect((await act(letter, 'discard', { reason })).body).toEqual({ outcome: 'discarded' })
  expect((await act(letter, 'discard', { reason })).body).toEqual({ outcome: 'discarded' })
  await eventually(async () => expect(await chargeOf(singer, next)).toBe('charged'))
  expect(await chargeOf(singer, lost)).toBe('deciding')
  expectRefusal(await act(letter, 'replay'), 409, 'dead_letter_settled')
  expect(await audited('discard-dead-letter', `credits ${letter.id}`)).toContainEqual(['ok', reason])
})

test('an unknown dead letter or mail is not found', async () => {
  const json = {}
  for (const [path, code] of [
    ['dead-letters/credits/999999/replay', 'dead_letter_not_found'],
    ['dead-letters/credits/x/replay', 'dead_letter_not_found'],
    ['dead-letters/kitchen/1/replay', 'not_found'],
    ['dead-letters/kitchen/replay', 'not_found'],
    ['mails/x/resend', 'mail_not_found'],
  ] as const)
    expectRefusal(await operator.call('POST', `/api/operator/ops/${path}`, { json }), 404, code)
})

test('refusals are counted by code with the pattern of their route, never the URL', async () => {
  const singer = await somebody(product())
  await singer.call('GET', '/api/songs/somebody@example.test')
  await eventually(async () => {
    const { problems } = await ops()
    const found = problems.find(({ code }) => code === 'song_not_found')
    expect(found).toMatchObject({ route: '/api/songs/:id', count: 1 })
    expect(JSON.stringify(problems)).not.toContain('@')
  })
})

test('an open page is updated every few seconds, is one call in the audit, and ends when the session is locked', async () => {
  const watcher = await unlockedOperator(product())
  const { hostname, port } = new URL(product().endpoints.web)
  const sent = request({
    hostname,
    port,
    path: '/api/operator/ops/live',
    headers: { cookie: watcher.cookie },
  })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
  let text = ''
  answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await eventually(() => expect(text.match(/^event: ops$/gm)?.length).toBeGreaterThanOrEqual(2))
  let isClosed = false
  answer.on('close', () => (isClosed = true))
  expect((await watcher.call('POST', '/api/operator/lock')).status).toBe(204)
  await eventually(() => expect(isClosed).toBe(true))
  const { body } = await operator.call<{ items: { action: string; outcome: string }[] }>(
    'GET',
    '/api/operator/audit?limit=100',
  )
  const watched = body.items.filter(({ action }) => action === 'watch-ops')
  expect(watched.map(({ outcome }) => outcome)).toEqual(['ok'])
})
