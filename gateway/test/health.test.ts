import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('the public /healthz is 503 until the schema has had every migration of this version once, and counts as no request of people', async () => {
  const { admin, service } = gateway.service
  const [file = ''] = readdirSync(new URL('../migrations/', import.meta.url))
    .toSorted()
    .toReversed()
  const newest = [file.replace('.sql', '')]
  const health = async () => {
    const { status, headers } = await gateway.visitor().get('/healthz')
    return [status, headers.get('content-type')]
  }
  const { rows } = await admin.query('delete from migration where name = $1 returning run_on', newest)
  expect(rows).toHaveLength(1)
  expect(await health()).toEqual([503, 'application/problem+json; charset=utf-8'])
  await admin.query('insert into migration (name, run_on) values ($1, now())', newest)
  expect(await health()).toEqual([200, 'application/json; charset=utf-8'])
  await admin.query('delete from migration where name = $1', newest) // as when the database cannot be read
  expect((await health())[0]).toBe(200)
  expect(service.notes?.()).toMatchObject({ slow: [], problems: [] })
})
