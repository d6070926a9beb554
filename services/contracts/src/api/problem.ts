import { type Static, Type } from 'typebox'

/** RFC 9457 problem details; `detail` is the sentence a person reads, `code` is stable. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
})
export type Problem = Static<typeof Problem>
