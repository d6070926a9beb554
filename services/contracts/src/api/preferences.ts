import { type Static, Type } from 'typebox'
import { LANGUAGES } from '../languages.ts'
import { defineApi, Empty, Nullable, OneOf } from './operation.ts'

const LanguageTag = OneOf(...LANGUAGES)

/** What a person is written to about. Receipts, and what concerns their money and account, are always sent. */
export const Preferences = Type.Object({
  mail: Type.Object({
    ready: Type.Boolean(),
    charged: Type.Boolean(),
    late: Type.Boolean(),
    receipts: Type.Literal(true),
  }),
  push: Type.Boolean(),
  /** Of mails; null: that of the browser, or English. Absent while the notifier is of version 0.1.0. */
  language: Type.Optional(Nullable(LanguageTag)),
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
  language: Type.Optional(Nullable(LanguageTag)),
})
export type PreferencesChange = Static<typeof PreferencesChange>

/** What the browser of a person says; what is absent stays as it is. */
export const BrowserFacts = Type.Object({
  /** The first of the app's that it prefers. */
  language: Type.Optional(Nullable(LanguageTag)),
  /** An IANA name. */
  timeZone: Type.Optional(Type.String()),
})
export type BrowserFacts = Static<typeof BrowserFacts>

/** What is kept of how a person is written to. */
const KeptPreferences = Type.Object({
  ...Preferences.properties,
  /** Absent while the notifier is of version 0.1.0. */
  browser: Type.Optional(BrowserFacts),
})
export type KeptPreferences = Static<typeof KeptPreferences>

export const preferencesApi = defineApi({
  get: { method: 'GET', path: '/people/:uid/preferences', reply: KeptPreferences },
  change: {
    method: 'PUT',
    path: '/people/:uid/preferences',
    body: PreferencesChange,
    reply: Preferences,
  },
  /** For the language and the times of mails. */
  note: { method: 'PUT', path: '/people/:uid/browser', body: BrowserFacts, reply: Empty },
})
