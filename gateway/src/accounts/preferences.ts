import { Preferences, PreferencesChange } from '@prelude/contracts'
import { personChannel, publishHint } from '../api/hints.ts'
import type { RouteDeps } from '../route-deps.ts'
import { personOf } from './access.ts'
import { type PublicRoute, publicRoute } from '../api/public-route.ts'

const url = '/api/preferences'
const area = 'Notices'

export const getPreferences = ({ preferences }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url,
    access: 'person',
    area,
    summary: 'What the caller is written to about',
    reply: Preferences,
    handle: ({ request }) => preferences.get({ params: { uid: personOf(request).uid } }),
  })

export const changePreferences = ({ preferences, kv, logger }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'PUT',
    url,
    access: 'person',
    area,
    summary: 'Changes what is given; answers the whole. Receipts are always sent',
    refusals: ['invalid_request'],
    body: PreferencesChange,
    reply: Preferences,
    handle: async ({ request, body }) => {
      const { uid } = personOf(request)
      const changed = await preferences.change({ params: { uid }, body })
      // other tabs and browsers read them again when they connect
      await publishHint(kv, personChannel(uid), { kind: 'preferences', id: uid }).catch((error: unknown) =>
        logger.warn({ err: error }, 'preferences were not announced'),
      )
      return changed
    },
  })
