import { createHash } from 'node:crypto'

/** The fields of one sign-in; none is kept for the next. */
export interface Person {
  readonly email: string
  readonly verified: boolean
  readonly name: string | undefined
  readonly givenName: string | undefined
  readonly picture: string | undefined
}

/** The same address, in upper or lower case, is the same subject on every machine, port and start. */
export const subjectOf = (email: string): string =>
  createHash('sha256').update(`prelude-identity:${email.toLowerCase()}`).digest('base64url').slice(0, 27)

/** Null when the form holds no address. */
export function personOf(form: URLSearchParams): Person | null {
  const field = (name: string): string | undefined => form.get(name)?.trim() || undefined
  const email = field('email')
  if (email === undefined || !/^[^\s@]+@[^\s@]+$/.test(email)) return null
  return {
    email,
    verified: form.get('unverified') !== 'on',
    name: field('name'),
    givenName: field('given_name'),
    picture: field('picture'),
  }
}

/** The claims of OpenID Connect; an empty field is absent, as at real providers. */
export const claimsOf = (sub: string, person: Person | undefined) => ({
  sub,
  ...(person && { email: person.email, email_verified: person.verified }),
  ...(person?.name !== undefined && { name: person.name }),
  ...(person?.givenName !== undefined && { given_name: person.givenName }),
  ...(person?.picture !== undefined && { picture: person.picture }),
})
