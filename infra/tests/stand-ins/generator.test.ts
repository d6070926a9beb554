import { openGenerator } from '@prelude/storage'
import { generatorConformance } from '@prelude/storage/conformance'
import { eventually } from '@prelude/platform/eventually'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGenerator } from '../../stand-ins/generator/index.ts'

async function start() {
  let now = 1_000_000
  const standIn = await startGenerator({ host: '127.0.0.1', port: 0, key: 'key', clock: () => now })
  const post = (path: string, body: unknown, headers = {}) =>
    fetch(standIn.url + path, { method: 'POST', body: JSON.stringify(body), headers })
  return { ...standIn, post, pass: (seconds: number) => void (now += seconds * 1000) }
}

generatorConformance(async () => {
  const standIn = await start()
  const { url: generatorUrl, post, pass } = standIn
  return {
    generator: openGenerator({ generatorUrl, generatorKey: 'key', generatorOptions: {} })!,
    pass,
    control: async (act, seconds) => {
      if (act === 'down') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      await post(`/control/${act}`, { seconds })
    },
    up: async () => {
      vi.runAllTimers()
      await eventually(() => fetch(generatorUrl))
    },
    [Symbol.asyncDispose]: async () => {
      vi.useRealTimers()
      await standIn.stop()
    },
  }
})

test('the stand-in checks the key, and its control what it is asked for', async () => {
  const standIn = await start()
  onTestFinished(() => standIn.stop())
  const { post } = standIn
  const statuses = async (...answers: Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status)
  expect(
    await statuses(
      post('/release_task', {}),
      post('/query_result', {}, { authorization: 'Bearer other' }),
      fetch(`${standIn.url}/v1/stats`),
      fetch(`${standIn.url}/v1/audio?path=x`),
      fetch(`${standIn.url}/health`),
    ),
  ).toEqual([401, 401, 401, 401, 200])
  expect(
    await statuses(
      post('/control/busy', { seconds: 0 }),
      post('/control/busy', { seconds: -1 }),
      post('/control/busy', { seconds: '1' }),
      post('/control/else', { seconds: 1 }),
      fetch(`${standIn.url}/control/busy`),
    ),
  ).toEqual([200, 400, 400, 404, 405])
})
