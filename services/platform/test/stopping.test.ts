import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { schemaOf, serviceDatabase } from '../src/events/index.ts'
import { identitiesFrom } from '../src/identity.ts'
import { runService } from '../src/host/run-service.ts'
import { testLogger, testPorts } from './support/index.ts'
import { openSource, PASSWORD } from './conformance/source.ts'
import { migrate, roleUrl } from '../migrate/index.ts'

test('a service that stops ends its jobs at once, and listens until its jobs and callers have ended', async () => {
  await using source = await openSource(() => testPorts())
  const logger = testLogger()
  const schema = { name: 'credits', migrations: new URL('tally/', import.meta.url) } as const
  await migrate(source.adminUrl, schemaOf(schema), PASSWORD, logger)
  const databaseUrl = roleUrl(source.adminUrl, schema.name, PASSWORD)
  const aborted = Promise.withResolvers<void>()
  const working = Promise.withResolvers<void>()
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        aborted.resolve()
        resolve(working.promise)
      })
    })
  const running = await runService({
    service: {
      ...schema,
      jobs: [{ name: 'long', everyMs: 1_000, run: untilAborted }],
      subscribers: [],
      routes: () => {},
    },
    db: serviceDatabase({ url: databaseUrl, service: schema.name, clock: systemClock, logger }),
    databaseUrl,
    bus: source.bus,
    clock: systemClock,
    logger,
    identity: identitiesFrom('s')(schema.name),
  })
  const callers = Promise.withResolvers<void>()
  const stopping = running.stop(callers.promise)
  await aborted.promise
  const isAlive = async (): Promise<boolean> => (await fetch(`${running.address}/healthz`)).ok
  expect(await isAlive()).toBe(true)
  callers.resolve()
  // no other process can take its port, and with it its name, while it works
  expect(await isAlive()).toBe(true)
  working.resolve()
  await stopping
  await expect(isAlive()).rejects.toThrow('fetch failed')
})
