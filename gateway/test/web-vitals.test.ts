import { expect, test } from 'vitest'
import { summarize, type WebVitalCounts } from '../src/ops/web-vitals.ts'
import { startGateway } from './start-gateway.ts'

test('what browsers measure is counted for the operations page, of known pages and possible values alone', async () => {
  await using gateway = await startGateway()
  const visitor = gateway.visitor()
  const report = async (body: object): Promise<number> => (await visitor.post('/api/web-vitals', body)).status
  const sent = [
    { page: '/', lcpMs: 400, cls: 0 },
    { page: '/songs/:id', lcpMs: 900 },
    { page: '/songs/ada', lcpMs: 900 },
    { page: '/', lcpMs: -1 },
  ]
  expect(await Promise.all(sent.map(report))).toEqual([204, 204, 400, 400])
  const notes = gateway.service.service.notes?.() as { webVitals: WebVitalCounts } | undefined
  expect(notes && summarize([notes.webVitals])).toEqual([
    { name: 'lcpMs', reports: 2, p75: 750 },
    { name: 'inpMs', reports: 0, p75: null },
    { name: 'cls', reports: 1, p75: 0.0075 },
  ])
})

test('the 75th percentile is over all instances, and at most the last bound', () => {
  const none = Array<number>(10).fill(0)
  const [fast, slow] = [none.with(0, 8), none.with(9, 3)]
  const p75 = (...all: number[][]) =>
    summarize(all.map((lcpMs) => ({ lcpMs, inpMs: none, cls: none })))[0]?.p75
  expect([p75(fast), p75(fast, slow, slow), p75(slow)]).toEqual([375, 10_000, 10_000])
})
