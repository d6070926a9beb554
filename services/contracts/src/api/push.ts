import { type Static, Type } from 'typebox'
import { defineApi, Empty, Time } from './operation.ts'

/** The public key that browsers subscribe with (VAPID, RFC 8292). */
export const PushKey = Type.Object({ publicKey: Type.String() })

/** What a browser's `PushSubscription.toJSON()` gives (RFC 8291). */
export const NewPushSubscription = Type.Object({
  endpoint: Type.String({ maxLength: 2_000, description: 'an https address' }),
  keys: Type.Object({
    p256dh: Type.String({ pattern: '^B[\\w-]{86}=?$', description: 'a P-256 point, base64url' }),
    auth: Type.String({ pattern: '^[\\w-]{22}(==)?$', description: '16 bytes, base64url' }),
  }),
})
export type NewPushSubscription = Static<typeof NewPushSubscription>

export const PushSubscriptionId = Type.Object({ id: Type.String() })

/** As the export of an account shows it. */
export const PushSubscriptionView = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  createdAt: Time,
})

export const pushApi = defineApi({
  key: { method: 'GET', path: '/push-key', reply: PushKey },
  /** The same endpoint again has the same id. Errors: invalid_request. */
  subscribe: {
    method: 'POST',
    path: '/people/:uid/push-subscriptions',
    body: NewPushSubscription,
    reply: PushSubscriptionId,
  },
  list: {
    method: 'GET',
    path: '/people/:uid/push-subscriptions',
    reply: Type.Object({ items: Type.Array(PushSubscriptionView) }),
  },
  /** Errors: not_found. */
  unsubscribe: { method: 'POST', path: '/people/:uid/push-subscriptions/:id/end', reply: Empty },
})
