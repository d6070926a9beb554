import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@prelude/platform'
import { expect, test, vi } from 'vitest'
import { checkCors } from '../src/cors.ts'

const PAGE = 'https://songs.example'

test.for<[string | null, boolean]>([
  [null, true],
  ['https://other.example', true],
  [PAGE, false],
  ['*', false],
])('a store that allows %s to read audio is warned of: %s', async ([allowed, isWarned]) => {
  const asked: (string | undefined)[] = []
  const store = createServer((request, response) => {
    asked.push(request.headers.origin)
    response.writeHead(404, allowed === null ? {} : { 'access-control-allow-origin': allowed }).end()
  })
  await once(store.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(store.address() as AddressInfo).port}/prelude/no-object`
  const warn = vi.fn<Logger['warn']>()
  try {
    await checkCors({ publicUrl: () => Promise.resolve(address) }, PAGE, { warn } as unknown as Logger)
  } finally {
    store.close()
  }
  expect(asked).toEqual([PAGE])
  expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject(isWarned ? [{ origin: PAGE, allowed }] : [])
})
