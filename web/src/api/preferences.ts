import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Preferences, PreferencesChange } from '@prelude/contracts'
import { call } from './client.ts'
import { signedIn } from './me.ts'
import { applyEvent } from './query-client.ts'

/** What the person is written to about. */

const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => call('GET /api/preferences', { signal }),
})

export const usePreferences = (enabled: boolean) => useQuery({ ...preferencesQuery, enabled })

/** Writes what this person has chosen, unless they have signed out meanwhile. */
export function putPreferences(uid: string, preferences: Preferences): void {
  if (uid === signedIn()?.uid) applyEvent<Preferences>(preferencesQuery, () => preferences)
}

/** Errors: ApiProblem. */
export const changePreferences = async (uid: string, body: PreferencesChange): Promise<void> =>
  putPreferences(uid, await call('PUT /api/preferences', { body }))
