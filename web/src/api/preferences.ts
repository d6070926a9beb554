import { queryOptions, useQuery } from '@tanstack/react-query'
import { LANGUAGES, type Preferences, type PreferencesChange } from '@prelude/contracts'
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

/** Mails are in the language that a signed-in person chose; if that cannot be kept, in the one before. */
export function keepLanguage(chosen: string): void {
  const uid = signedIn()?.uid
  const language = LANGUAGES.find((one) => one === chosen)
  if (uid !== undefined && language) void changePreferences(uid, { language }).catch(() => {})
}
