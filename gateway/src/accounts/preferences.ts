import { Preferences, PreferencesChange } from '@prelude/contracts'
import type { Logger } from '@prelude/platform'
import { personOf } from '../api/caller.ts'
import type { PreferencesClient } from '../api/clients.ts'
import { personChannel, publishHint } from '../api/hints.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = { kv: KeyValue; logger: Logger; preferences: PreferencesClient }

export const getPreferences = ({ preferences }: Deps): PublicRoute =>
  publicRoute('GET /api/preferences', {
    access: 'person',
    summary: 'What the caller is written to about',
    reply: Preferences,
    handle: ({ request }) => preferences.get({ params: { uid: personOf(request).uid } }),
  })

export const changePreferences = ({ preferences, kv, logger }: Deps): PublicRoute =>
  publicRoute('PUT /api/preferences', {
    access: 'person',
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
