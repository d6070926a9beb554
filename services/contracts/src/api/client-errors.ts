import { type Static, Type } from 'typebox'
import { MAX_CLIENT_ERROR_STACK } from '../limits.ts'
import { Nullable, Time } from './operation.ts'

/** An error that a browser reports. The gateway keeps less of it than is sent. */
export const ClientErrorReport = Type.Object({
  message: Type.String({ minLength: 1, description: 'what the error says; 200 characters are kept' }),
  release: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$', description: 'the build of the web app' }),
  page: Type.String({ description: 'the path of the page; the route is kept' }),
  stack: Type.Optional(
    Type.String({
      maxLength: MAX_CLIENT_ERROR_STACK,
      description: 'positions in scripts of the app are kept',
    }),
  ),
})
export type ClientErrorReport = Static<typeof ClientErrorReport>

/** Equal errors of one build, from all browsers. */
export const ClientError = Type.Object({
  message: Type.String(),
  release: Type.String(),
  /** Of the last one. */
  page: Type.String(),
  /** Of the last one that had one: `file:line:column` in scripts of the app, one a line. */
  stack: Nullable(Type.String()),
  count: Type.Integer(),
  firstAt: Time,
  lastAt: Time,
})
export type ClientError = Static<typeof ClientError>
