import {
  messagesApi,
  paymentsApi,
  peopleApi,
  type Side,
  type Song,
  type SongMessage,
  songsApi,
} from '@prelude/contracts'
import { AppError, batched, client, type Client, type ServiceCall, Unavailable } from '@prelude/platform'
import type { MailBranding, MailContent } from './domain/mail.ts'
import {
  debtMail,
  paymentReversedMail,
  paymentSuspiciousMail,
  receiptMail,
  transferOpenedMail,
  transferRejectedMail,
} from './domain/payment-mails.ts'
import {
  accountClosedMail,
  largeAdjustmentMail,
  largeTransferMail,
  operatorUnlockedMail,
  unlockLimitMail,
} from './domain/security-mails.ts'
import { messagesToOperatorMail, messageToOperatorMail, messageToOwnerMail } from './domain/message-mails.ts'
import type { Reader } from './domain/reader.ts'
import {
  changesAskedMail,
  changesDeliveredMail,
  creditsBackMail,
  type OwnSong,
  requestsWaitingMail,
  songCookingMail,
  songDeclinedMail,
  songLateMail,
  songReadyMail,
  songReplacedMail,
  songRequestedMail,
} from './domain/song-mails.ts'
import type { ClaimedMessage } from './store/message.ts'

/** Clients of the services that own the texts and addresses of mails. */
export interface Owners {
  /** Concurrent reads share a call. Errors: song_not_found. */
  readonly song: (id: string) => Promise<Song>
  /** Without those that do not exist. */
  readonly songs: (ids: readonly string[]) => Promise<Song[]>
  /** What one side wrote and the other has not read, oldest first. */
  readonly unread: (songId: string, from: Side) => Promise<SongMessage[]>
  readonly people: Client<typeof peopleApi>
  readonly payments: Client<typeof paymentsApi>
}

export function ownersBehind(calls: ServiceCall): Owners {
  const songs = client(calls, 'songs', songsApi)
  const messages = client(calls, 'songs', messagesApi)
  const find = batched(
    async (ids: readonly string[]) => {
      const { items } = await songs.byIds({ body: { ids: [...ids] } })
      const found = new Map(items.map((song) => [song.id, song]))
      return ids.map((id) => found.get(id))
    },
    { concurrency: 2, maxSize: 100 },
  )
  return {
    song: async (id) => {
      const song = await find(id)
      if (!song) throw new AppError('song_not_found')
      return song
    },
    songs: async (ids) => (await Promise.all(ids.map(find))).filter((song) => song !== undefined),
    unread: async (id, from) => (await messages.unread({ params: { id }, query: { from } })).items,
    people: client(calls, 'gateway', peopleApi),
    payments: client(calls, 'payments', paymentsApi),
  }
}

/**
 * Reads the texts when the mail is sent. Null: it is not true any more. Errors: those of the owners; Unavailable when one does
 * not answer.
 */
export async function composeMail(
  { facts, attempts }: Pick<ClaimedMessage, 'facts' | 'attempts'>,
  owners: Owners,
  reader: Reader,
  branding: MailBranding,
): Promise<MailContent | null> {
  const { song } = owners
  /** Its mail names the promise, which songs makes when it records the charge: until then the mail is tried again. */
  const expectCharged = (found: Song): Song => {
    if (found.closedAt === null && (found.charge === 'deciding' || found.charge === 'declined'))
      throw new Unavailable('songs', 'it has not recorded the charge yet')
    return found
  }
  const chargedSong = async (id: string): Promise<Song> => expectCharged(await song(id))
  /** A closed song needs none. The first attempt describes the present state; a later one may come hours after the delivery. */
  const isOver = ({ status, closedAt }: Song): boolean =>
    closedAt !== null || (attempts > 1 && status !== 'pending')
  const person = () => owners.people.get({ params: { uid: facts.uid } })
  const own = async (found: Song): Promise<OwnSong> => ({ ...found, firstName: (await person()).firstName })
  switch (facts.kind) {
    case 'song-requested': {
      const found = await (facts.waiting ? song : chargedSong)(facts.songId)
      return found.closedAt !== null ? null : songRequestedMail(found, branding)
    }
    case 'requests-waiting': {
      const { songIds, chargedIds = [] } = facts
      const waiting = (await owners.songs(songIds)).filter(waitsForCredits)
      const charged = (await owners.songs(chargedIds)).filter(({ closedAt }) => closedAt === null)
      return waiting.length + charged.length === 0
        ? null
        : requestsWaitingMail(waiting, charged.map(expectCharged), branding)
    }
    case 'song-ready':
      return songReadyMail(await own(await song(facts.songId)), reader, branding)
    case 'song-cooking': {
      const found = await chargedSong(facts.songId)
      return isOver(found) ? null : songCookingMail(await own(found), reader, branding)
    }
    case 'song-late': {
      const found = await song(facts.songId)
      return isOver(found) ? null : songLateMail(await own(found), reader, branding)
    }
    case 'song-declined':
      return songDeclinedMail(await own(await song(facts.songId)), reader, branding)
    case 'song-replaced':
      return songReplacedMail(await own(await song(facts.songId)), reader, branding)
    case 'changes-asked':
      return changesAskedMail(await song(facts.songId), branding)
    case 'changes-delivered':
      return changesDeliveredMail(await own(await song(facts.songId)), reader, branding)
    case 'message-to-owner': {
      const [found, unread] = await Promise.all([song(facts.songId), owners.unread(facts.songId, 'studio')])
      return unread.length === 0 ? null : messageToOwnerMail(await own(found), unread, reader, branding)
    }
    case 'message-to-operator': {
      const [found, unread] = await Promise.all([song(facts.songId), owners.unread(facts.songId, 'owner')])
      return unread.length === 0 ? null : messageToOperatorMail(found, unread, branding)
    }
    case 'messages-to-operator': {
      const songs = await owners.songs(Object.keys(facts.songs))
      const unread = songs.filter(({ unreadByOperator = 0 }) => unreadByOperator > 0)
      return unread.length === 0 ? null : messagesToOperatorMail(unread, branding)
    }
    case 'credits-back':
      return creditsBackMail(await own(await song(facts.songId)), reader, branding)
    case 'receipt': {
      const payment = owners.payments.get({ params: { id: facts.paymentId } })
      return receiptMail(...(await Promise.all([payment, person()])), reader, branding)
    }
    case 'transfer-opened':
      return transferOpenedMail(facts.paymentId, await person(), branding)
    case 'transfer-rejected':
      return transferRejectedMail(facts.paymentId, await person(), reader, branding)
    case 'payment-suspicious':
      return paymentSuspiciousMail(facts, branding)
    case 'account-closed':
      return accountClosedMail(
        await owners.people.closingMail({ params: { uid: facts.uid } }),
        facts.reader ?? reader,
        branding,
      )
    case 'operator-unlocked':
      return operatorUnlockedMail(branding)
    case 'unlock-limit':
      return unlockLimitMail(facts, branding)
    case 'large-adjustment':
      return largeAdjustmentMail(facts, await person(), branding)
    case 'large-transfer':
      return largeTransferMail(facts, await person(), branding)
    case 'payment-reversed': {
      const payment = owners.payments.get({ params: { id: facts.paymentId } })
      return paymentReversedMail(facts, ...(await Promise.all([payment, person()])), reader, branding)
    }
    case 'debt':
      return debtMail(facts, await person(), branding)
  }
}

/** Songs may record the answer of credits after this service. */
const waitsForCredits = ({ closedAt, charge }: Song): boolean =>
  closedAt === null && (charge === 'declined' || charge === 'deciding')
