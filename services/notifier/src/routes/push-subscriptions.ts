import type { pushApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, type RouteHandler } from '@prelude/platform'
import { pushEndpoint } from '../domain/push-address.ts'
import { endSubscription, keepSubscription, listSubscriptions } from '../store/push.ts'

/** Errors: invalid_request. */
export const subscribe =
  (db: Database, clock: Clock, allowed: { loopback: boolean }): RouteHandler<typeof pushApi.subscribe> =>
  async ({ params: { uid = '' }, body: { endpoint, keys } }) => {
    const { href } = pushEndpoint(endpoint, allowed)
    return {
      id: await db.transaction((tx) => keepSubscription(tx, uid, { endpoint: href, keys }, clock.now())),
    }
  }

export const listPushSubscriptions =
  (db: Database): RouteHandler<typeof pushApi.list> =>
  async ({ params: { uid = '' } }) => ({
    items: await listSubscriptions(db, uid),
  })

/** Errors: not_found. */
export const unsubscribe =
  (db: Database): RouteHandler<typeof pushApi.unsubscribe> =>
  async ({ params: { uid = '', id = '' } }) => {
    if (!isId(id) || !(await endSubscription(db, uid, id))) throw new AppError('not_found')
    return {}
  }
