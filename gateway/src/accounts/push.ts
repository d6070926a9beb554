import { NewPushSubscription, PushKey, PushSubscriptionId } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { personOf } from '../api/caller.ts'
import type { PushClient } from '../api/clients.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'

type Deps = { push: PushClient }

/** Web push (RFC 8030): the browser subscribes with our key and gives us the address of its push service. */

export const pushKey = ({ push }: Deps): PublicRoute =>
  publicRoute('GET /api/push-key', {
    access: 'person',
    summary: "The key that a browser's push subscription names",
    reply: PushKey,
    handle: () => push.key(),
  })

export const subscribeToPush = ({ push }: Deps): PublicRoute =>
  publicRoute('POST /api/push-subscriptions', {
    access: 'person',
    summary: 'Keeps a push subscription of a browser; the same endpoint again has the same id',
    refusals: ['invalid_request'],
    body: NewPushSubscription,
    status: 201,
    reply: PushSubscriptionId,
    handle: ({ request, body }) => push.subscribe({ params: { uid: personOf(request).uid }, body }),
  })

export const endPushSubscription = ({ push }: Deps): PublicRoute =>
  publicRoute('DELETE /api/push-subscriptions/:id', {
    access: 'person',
    summary: "Ends one of the caller's push subscriptions",
    refusals: ['not_found'],
    status: 204,
    handle: async ({ request, params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('not_found')
      await push.unsubscribe({ params: { uid: personOf(request).uid, id } })
    },
  })
