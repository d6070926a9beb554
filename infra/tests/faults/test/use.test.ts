import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test, expect } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import type { Person } from '../../support/person.ts'
import type { Scene } from '../scene.ts'
import { use } from '../use.ts'

test('a refused submit counts as one failure: requests that need its song are left out', async () => {
  let refused = 0
  const product = createServer(({ method, url }, response) => {
    const isSubmit = method === 'POST' && url === '/api/songs'
    if (isSubmit) refused++
    response.writeHead(isSubmit ? 503 : 200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void product.close())
  await once(product, 'listening')
  const { port } = product.address() as AddressInfo
  const scene = { endpoints: { web: `http://127.0.0.1:${port}` } } as Scene
  const person = { cookie: '' } as Person
  const load = use(scene, person, person, 'ready')
  await eventually(() => expect(refused).toBeGreaterThan(5))
  await load.stop()
  expect(new Set(load.failed)).toEqual(new Set(['POST /api/songs: 503']))
  expect(load.failed).toHaveLength(refused)
})
