import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('a request that arrives while the server closes is answered, not refused', async () => {
  const visitor = gateway.visitor()
  const answers: (number | string)[] = []
  let open = true
  const knocking = (async () => {
    while (open) {
      const answer = await visitor.get('/api/geo').catch(() => null)
      answers.push(answer?.status ?? 'nobody there')
      await answer?.text()
    }
  })()
  await expect.poll(() => answers.length).toBeGreaterThan(0)
  await gateway.app.close()
  open = false
  await knocking
  expect([...new Set(answers.filter((answer) => answer !== 'nobody there'))]).toEqual([200])
})
