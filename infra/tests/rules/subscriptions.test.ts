import { EVENTS, type ServiceName } from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import { createGateway } from '@prelude/gateway'
import { createNotifier } from '@prelude/notifier'
import { createPayments } from '@prelude/payments'
import { createSongs } from '@prelude/songs'
import { createStorage } from '@prelude/storage'
import type { Service } from '@prelude/platform'
import { expect, test } from 'vitest'

/**
 * Handlers of a service that its events do not name any more. They are kept for one release: the emitters of the release before
 * still name it, and without a handler it would take their events for newer than itself. As `SongClosed 1 credits`.
 */
const LEAVING: readonly string[] = []

/** Stands for every dependency: what makes a service only hands them on. */
const anything = (): never => {
  const stand: unknown = new Proxy(() => stand, { get: () => stand })
  return stand as never
}

const HERE = 'http://localhost'
/** What is read while a service is made. */
const config = {
  publicUrl: HERE,
  oidc: { issuer: HERE, clientSecret: 'secret' },
  stripe: { apiUrl: HERE, secretKey: 'secret' },
  paystackSecretKey: null,
  stagingDir: '',
} as never

const services = (): readonly Service[] => {
  const deps = { db: anything(), clock: anything(), calls: anything(), logger: anything(), config }
  return [
    createGateway({ ...deps, kv: anything(), bus: anything() }).service,
    createSongs(deps),
    createCredits(deps),
    createPayments(deps),
    createStorage({ ...deps, blobs: anything(), generator: null }),
    createNotifier({ ...deps, instance: '', mailer: anything() }),
  ]
}

const lineOf = (event: { type: string; version: number }, service: ServiceName): string =>
  `${event.type} ${event.version} ${service}`

test('every version of an event names exactly the services that have a handler for it', () => {
  const named = EVENTS.flatMap((event) => event.for.map((service) => lineOf(event, service)))
  const handled = services().flatMap(({ name, subscribers }) =>
    subscribers.map(({ event }) => lineOf(event, name)),
  )
  expect(named.length).toBeGreaterThan(30)
  expect([...named, ...LEAVING].toSorted()).toEqual(handled.toSorted())
})
