/**
 * A uid names an account, not an identity: who closed an account and signs in again gets another one. The first is made
 * of the identity alone, later ones bear their number behind a dot.
 */
export const accountUid = (identity: string, closedBefore: number): string =>
  closedBefore === 0 ? identity : `${identity}.${closedBefore + 1}`

/** The identity (provider and subject) of a uid, whichever of the person's accounts it names. */
export const identityOf = (uid: string): string => uid.split('.', 1)[0] ?? uid

/** Somebody who had an account before: starting credits are given to an identity once. */
export const isReturning = (uid: string): boolean => uid.includes('.')
