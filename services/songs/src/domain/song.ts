import type { Charge, PlacedObject, Take } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { addedTakes } from './takes.ts'

/** The changeable fields of a song. Times are milliseconds since the epoch. */
export interface SongState {
  readonly status: 'pending' | 'ready'
  readonly charge: Charge
  /** The operator is giving the credits back: until they are back the song cannot be fulfilled. */
  readonly refundHeld: boolean
  /** Why, in the operator's words. */
  readonly refundReason: string | null
  /** Null until fulfilment. */
  readonly updatedAt: number | null
  /** None before the song is ready, then at least one of each version. */
  readonly takes: readonly Take[]
}

/**
 * Answers of the credits service arrive in any order with what happens here, and more than once, so a charge only
 * moves forward along this line. A gift is last: what credits had charged for it, credits gives back on its own.
 */
const FORWARD: readonly Charge[] = ['deciding', 'declined', 'charged', 'refunded', 'gift']

/** The fields that an answer of the credits service depends on. */
export type Charged = Pick<SongState, 'charge' | 'refundHeld'>

/** Each of the three answers gives the very same object back when it changes nothing. */
export const onCharged = <S extends Charged>(song: S): S => moved(song, 'charged')
export const onDeclined = <S extends Charged>(song: S): S => moved(song, 'declined')
export const onRefunded = <S extends Charged>(song: S): S => moved(song, 'refunded')

function moved<S extends Charged>(song: S, charge: Charge): S {
  if (FORWARD.indexOf(charge) <= FORWARD.indexOf(song.charge)) return song
  return { ...song, charge, refundHeld: false }
}

/**
 * A song is fulfilled when it is charged, or as a gift (decision 5). `gift` on a charged song changes nothing about
 * its charge: what was paid stays paid.
 * Errors: song_already_ready, charge_pending, song_not_charged.
 */
export function assertFulfillable(song: SongState, gift: boolean): void {
  if (song.status === 'ready') throw new AppError('song_already_ready')
  if (song.charge === 'deciding' || song.refundHeld) throw new AppError('charge_pending')
  if (song.charge !== 'charged' && !gift) throw new AppError('song_not_charged')
}

/** Errors: those of assertFulfillable; upload_failed for an object that storage may have removed. */
export function fulfilled<S extends SongState>(
  song: S,
  by: { gift: boolean; version1: PlacedObject; version2: PlacedObject; at: number },
): S {
  assertFulfillable(song, by.gift)
  return {
    ...song,
    status: 'ready',
    charge: song.charge === 'charged' ? 'charged' : 'gift',
    updatedAt: by.at,
    takes: addedTakes(
      [],
      [
        { version: 1, object: by.version1 },
        { version: 2, object: by.version2 },
      ],
      by.at,
    ),
  }
}

/**
 * From here on the song cannot be fulfilled until its credits are back. Holding twice is holding once, for the later reason,
 * so that the operator can try a refund again that failed half-way.
 * Errors: song_already_ready, charge_pending, song_not_charged.
 */
export function heldForRefund<S extends SongState>(song: S, reason: string): S {
  if (song.status === 'ready') throw new AppError('song_already_ready')
  if (song.charge === 'deciding') throw new AppError('charge_pending')
  if (song.charge !== 'charged') throw new AppError('song_not_charged')
  if (song.refundHeld && song.refundReason === reason) return song
  return { ...song, refundHeld: true, refundReason: reason }
}

/** The refund is given up: the credits stay with the song. Gives the very same object back when it was not held. */
export const released = <S extends SongState>(song: S): S =>
  song.refundHeld ? { ...song, refundHeld: false, refundReason: null } : song
