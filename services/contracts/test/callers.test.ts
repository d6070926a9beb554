import { expect, test } from 'vitest'
import * as contracts from '../src/index.ts'

test('services call each other only to read, or to say what became of a mail or its address; all else accepts the gateway alone', () => {
  const apis = Object.entries(contracts).filter(([name]) => name.endsWith('Api'))
  expect(apis.length).toBeGreaterThan(5)
  const open = apis.flatMap(([api, operations]) =>
    Object.entries(operations as Record<string, contracts.Operation>).flatMap(([name, { callers }]) =>
      callers === undefined ? [] : [`${api}.${name}: ${callers.join(', ')}`],
    ),
  )
  expect(open.toSorted()).toEqual([
    'messagesApi.unread: notifier',
    'opsApi.state: notifier',
    'paymentsApi.get: notifier',
    'peopleApi.closingMail: notifier',
    'peopleApi.deleteClosingMail: notifier',
    'peopleApi.get: notifier',
    'peopleApi.mailOutcome: notifier',
    'songsApi.byIds: notifier',
    'songsApi.get: notifier',
    'songsApi.namedPaths: storage',
    'songsApi.takes: storage',
    'songsApi.words: storage',
  ])
})

test('an operation that moves money has an id of the caller in its path, so that a proof which is used again at another instance has no second effect', () => {
  const apis = {
    creditsApi: contracts.creditsApi,
    paymentsApi: contracts.paymentsApi,
    songsApi: contracts.songsApi,
  }
  const without = Object.entries(apis).flatMap(([api, operations]) =>
    Object.entries<contracts.Operation>(operations).flatMap(([name, { method, path }]) =>
      method === 'GET' || /:(id|refundId)\b/.test(path) ? [] : [`${api}.${name}`],
    ),
  )
  expect(without).toEqual([
    'creditsApi.accounts', // reads
    'paymentsApi.receiveWebhook', // once by the id of the provider's event, which is signed
    'songsApi.byIds', // reads
    'songsApi.namedPaths', // reads
  ])
})
