import { paymentsApi, peopleApi, songsApi } from '@prelude/contracts'
import { client, type Client, type ServiceCall } from '@prelude/platform'
import type { House, Letter } from './domain/letter.ts'
import type { Notice } from './domain/notice.ts'
import {
  debtLetter,
  paymentSuspiciousLetter,
  receiptLetter,
  transferOpenedLetter,
  transferRejectedLetter,
} from './domain/payment-letters.ts'
import {
  creditsBackLetter,
  songCookingLetter,
  songReadyLetter,
  songRequestedLetter,
} from './domain/song-letters.ts'

/** Those who own the texts and addresses that a letter needs. */
export interface Owners {
  readonly songs: Client<typeof songsApi>
  readonly people: Client<typeof peopleApi>
  readonly payments: Client<typeof paymentsApi>
}

export const ownersBehind = (calls: ServiceCall): Owners => ({
  songs: client(calls, 'songs', songsApi),
  people: client(calls, 'gateway', peopleApi),
  payments: client(calls, 'payments', paymentsApi),
})

/** Asks the owners at the moment of sending. Errors: those of the owners; Unavailable when one does not answer. */
export async function composeLetter(notice: Notice, owners: Owners, house: House): Promise<Letter> {
  const song = (id: string) => owners.songs.get({ params: { id } })
  const person = () => owners.people.get({ params: { uid: notice.uid } })
  switch (notice.kind) {
    case 'song-requested':
      return songRequestedLetter(await song(notice.songId), house)
    case 'song-ready':
      return songReadyLetter(await song(notice.songId), house)
    case 'song-cooking':
      return songCookingLetter(await song(notice.songId), house)
    case 'credits-back':
      return creditsBackLetter(await song(notice.songId), house)
    case 'receipt': {
      const payment = owners.payments.get({ params: { id: notice.paymentId } })
      return receiptLetter(...(await Promise.all([payment, person()])), house)
    }
    case 'transfer-opened':
      return transferOpenedLetter(notice.paymentId, await person(), house)
    case 'transfer-rejected':
      return transferRejectedLetter(notice.paymentId, await person(), house)
    case 'payment-suspicious':
      return paymentSuspiciousLetter(notice, house)
    case 'debt':
      return debtLetter(notice, await person(), house)
  }
}
