import type { pushApi, ReplyOf } from '@prelude/contracts'
import { AppError, type Clock, type Database, isId, type RouteContext } from '@prelude/platform'
import { pushEndpoint } from '../domain/push-address.ts'
import { endSubscription, keepSubscription, listSubscriptions } from '../store/push.ts'

/** Errors: invalid_request. */
export const subscribe =
  (db: Database, clock: Clock, allowed: { loopback: boolean }) =>
  async ({
    params: { uid = '' },
    body: { endpoint, keys },
  }: RouteContext<typeof pushApi.subscribe>): Promise<ReplyOf<typeof pushApi.subscribe>> => {
    const { href } = pushEndpoint(endpoint, allowed)
    return {
      id: await db.transaction((tx) => keepSubscription(tx, uid, { endpoint: href, keys }, clock.now())),
    }
  }

export const listPushSubscriptions =
  (db: Database) =>
  async ({
    params: { uid = '' },
  }: RouteContext<typeof pushApi.list>): Promise<ReplyOf<typeof pushApi.list>> => ({
    items: await listSubscriptions(db, uid),
  })

/** Errors: not_found. */
export const unsubscribe =
  (db: Database) =>
  async ({
    params: { uid = '', id = '' },
  }: RouteContext<typeof pushApi.unsubscribe>): Promise<ReplyOf<typeof pushApi.unsubscribe>> => {
    if (!isId(id) || !(await endSubscription(db, uid, id))) throw new AppError('not_found')
    return {}
  }
