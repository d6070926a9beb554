import type { AuditEntry } from './store/audit.ts'
import { isId } from '@prelude/platform'
import type { RouteDeps } from './route-deps.ts'
import { findUsers } from './store/users.ts'

/** What an entry is about, by its action: the target is the id of a song, a payment or a person. */
const ABOUT: Readonly<Record<string, 'song' | 'payment' | 'person'>> = {
  'fulfil-song': 'song',
  'refund-song': 'song',
  'replace-version': 'song',
  'refund-payment': 'payment',
  'confirm-transfer': 'payment',
  'reject-transfer': 'payment',
  'record-transfer': 'person',
  'adjust-credits': 'person',
  'close-account': 'person',
  'export-person': 'person',
}

const OF_MONEY = [
  'adjust-credits',
  'refund-payment',
  'refund-song',
  'confirm-transfer',
  'reject-transfer',
  'record-transfer',
]
const OF_SONGS = ['fulfil-song', 'replace-version', 'refund-song']

/** Actions by what they are asked for; `changes` are all that change something, without the uploads of a fulfilment. */
export const ACTIONS = {
  changes: [
    ...new Set([...OF_MONEY, ...OF_SONGS]),
    'unlock',
    'lock',
    'close-account',
    'export-person',
    'resend-mail',
    'replay-dead-letter',
    'replay-dead-letters',
    'discard-dead-letter',
    'clear-unlock-limit',
  ],
  money: OF_MONEY,
  songs: OF_SONGS,
} as const

export interface AuditView extends AuditEntry {
  readonly person?: { readonly name: string | null; readonly email: string }
  readonly song?: { readonly id: string; readonly style: string }
}

/** The log holds ids alone; names, addresses and styles are read as long as they exist, and as long as their service answers. */
export async function auditView(
  { db, songs, payments }: Pick<RouteDeps, 'db' | 'songs' | 'payments'>,
  entries: readonly AuditEntry[],
): Promise<AuditView[]> {
  const targets = (about: string): string[] => [
    ...new Set(entries.flatMap(({ action, target }) => (ABOUT[action] === about && target ? [target] : []))),
  ]
  const read = async <T>(
    ids: readonly string[],
    get: (id: string) => Promise<T>,
  ): Promise<Map<string, T>> => {
    const found = await Promise.allSettled(ids.filter(isId).map(async (id) => [id, await get(id)] as const))
    return new Map(found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
  }
  const [songsById, paymentsById] = await Promise.all([
    read(targets('song'), (id) => songs.get({ params: { id } })),
    read(targets('payment'), (id) => payments.get({ params: { id } })),
  ])
  const owned = [...songsById.values(), ...paymentsById.values()].map(({ uid }) => uid)
  const users = await findUsers(db, [...new Set([...owned, ...targets('person')])])
  return entries.map((entry) => {
    const target = entry.target ?? ''
    const about = ABOUT[entry.action]
    const song = about === 'song' ? songsById.get(target) : undefined
    const uid = about === 'person' ? target : (song ?? paymentsById.get(target))?.uid
    const user = uid === undefined ? undefined : users.get(uid)
    return {
      ...entry,
      ...(user && { person: { name: user.name, email: user.email } }),
      ...(song && { song: { id: song.id, style: song.style } }),
    }
  })
}
