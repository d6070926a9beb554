import { type Static, Type } from 'typebox'
import { defineApi, Nullable } from './operation.ts'

/** Who is signed in (`GET /api/me`). `credits` is null while the ledger does not answer. */
export const Me = Type.Object({
  uid: Type.String(),
  name: Nullable(Type.String()),
  firstName: Nullable(Type.String()),
  email: Type.String(),
  photoURL: Nullable(Type.String()),
  role: Type.Literal('user'),
  credits: Nullable(Type.Number()),
  operator: Type.Object({ eligible: Type.Boolean(), unlocked: Type.Boolean() }),
})
export type Me = Static<typeof Me>

export const Person = Type.Object({
  uid: Type.String(),
  name: Nullable(Type.String()),
  firstName: Nullable(Type.String()),
  email: Type.String(),
})
export type Person = Static<typeof Person>

/** Answered by the gateway, which owns the user records; for parts that write to people. Errors: user_not_found. */
export const peopleApi = defineApi({
  get: { method: 'GET', path: '/people/:uid', reply: Person },
})
