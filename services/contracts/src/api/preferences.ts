import { type Static, Type } from 'typebox'
import { defineApi } from './operation.ts'

/** What a person is written to about. Receipts, and what concerns their money and account, are always sent. */
export const Preferences = Type.Object({
  mail: Type.Object({
    ready: Type.Boolean(),
    charged: Type.Boolean(),
    late: Type.Boolean(),
    receipts: Type.Literal(true),
  }),
  push: Type.Boolean(),
})
export type Preferences = Static<typeof Preferences>

/** What is left out stays as it is. */
export const PreferencesChange = Type.Object({
  mail: Type.Optional(
    Type.Object({
      ready: Type.Optional(Type.Boolean()),
      charged: Type.Optional(Type.Boolean()),
      late: Type.Optional(Type.Boolean()),
      receipts: Type.Optional(Type.Literal(true)),
    }),
  ),
  push: Type.Optional(Type.Boolean()),
})
export type PreferencesChange = Static<typeof PreferencesChange>

export const preferencesApi = defineApi({
  get: { method: 'GET', path: '/people/:uid/preferences', reply: Preferences },
  change: {
    method: 'PUT',
    path: '/people/:uid/preferences',
    body: PreferencesChange,
    reply: Preferences,
  },
})
