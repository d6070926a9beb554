import { PaymentSucceeded } from '@prelude/contracts'
import { createCredits } from '@prelude/credits'
import { type Logger, newId, openBus, runService, serviceDatabase, systemClock } from '@prelude/platform'
import { testIdentity } from '@prelude/platform/testing'

/** Where a service finds its database and the bus. */
interface Place {
  readonly databaseUrl: string
  readonly poolerUrl?: string | undefined
  readonly busUrl: string
  readonly logger: Logger
}

const opened = (service: 'payments' | 'credits', { databaseUrl, poolerUrl, busUrl, logger }: Place) => {
  const identity = testIdentity(service)
  const bus = openBus(busUrl, logger, { identity })
  const db = serviceDatabase({ url: databaseUrl, poolerUrl, service, clock: systemClock, logger })
  return { databaseUrl, identity, bus, db, logger, clock: systemClock }
}

/** Payments as far as it emits. */
export function startPayments(place: Place) {
  const { db, bus, databaseUrl, logger } = opened('payments', place)
  const publisher = bus.publish({ topic: 'prelude.payments', db, databaseUrl, logger })
  db.onEmit(publisher.wake)
  return {
    db,
    pay: (uid: string, cents: number) =>
      db.transaction(async (tx) =>
        tx.emit(PaymentSucceeded, { paymentId: newId(), uid, credits: cents, method: 'card' }),
      ),
    backlog: async () => (await publisher.backlog())?.events,
    stop: async () => {
      await publisher.stop()
      await db.close()
      await bus.close()
    },
  }
}

/** The real service. */
export async function startCredits(place: Place) {
  const context = opened('credits', place)
  const { db, clock } = context
  const service = createCredits({ db, clock, config: { startingCreditsCents: 0 } })
  const { address, stop } = await runService({ ...context, service })
  return {
    address,
    stop: async () => {
      await stop()
      await context.bus.close()
    },
  }
}
