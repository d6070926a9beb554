import { Preferences, PreferencesChange } from '@prelude/contracts'
import type { RouteDeps } from '../route-deps.ts'
import { personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'

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

export const changePreferences = ({ preferences }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'PUT',
    url,
    access: 'person',
    area,
    summary: 'Changes what is given; answers the whole. Receipts are always sent',
    refusals: ['invalid_request'],
    body: PreferencesChange,
    reply: Preferences,
    handle: ({ request, body }) => preferences.change({ params: { uid: personOf(request).uid }, body }),
  })
