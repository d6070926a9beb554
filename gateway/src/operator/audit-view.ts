import type { AuditRow } from '@prelude/contracts'
import { type Database, isId } from '@prelude/platform'
import type { AuditEntry } from '../accounts/store/audit.ts'
import { findUsers } from '../accounts/store/users.ts'
import type { PaymentsClient, SongsClient } from '../api/clients.ts'

interface Change {
  /** Whose id the target is. */
  readonly about?: 'song' | 'payment' | 'person'
  readonly kinds?: readonly ('money' | 'songs')[]
}

/** What is read, heard or downloaded of another person. */
const READS: Readonly<Record<string, Change>> = {
  'read-song': { about: 'song' },
  'read-messages': { about: 'song' },
  'play-song': { about: 'song' },
  'download-song': { about: 'song' },
}

/** Every action that changes something, without the uploads of a fulfilment. */
const CHANGES: Readonly<Record<string, Change>> = {
  'start-song': { about: 'song', kinds: ['songs'] },
  'release-song': { about: 'song', kinds: ['songs'] },
  'decline-song': { about: 'song', kinds: ['songs', 'money'] },
  'write-message': { about: 'song', kinds: ['songs'] },
  'state-made': { about: 'song', kinds: ['songs'] },
  'write-note': { about: 'song', kinds: ['songs'] },
  'make-drafts': { about: 'song', kinds: ['songs'] },
  'remove-draft': { kinds: ['songs'] },
  'fulfil-song': { about: 'song', kinds: ['songs'] },
  'deliver-changes': { about: 'song', kinds: ['songs'] },
  'replace-version': { about: 'song', kinds: ['songs'] },
  'refund-song': { about: 'song', kinds: ['songs', 'money'] },
  'refund-payment': { about: 'payment', kinds: ['money'] },
  'confirm-transfer': { about: 'payment', kinds: ['money'] },
  'reject-transfer': { about: 'payment', kinds: ['money'] },
  'record-transfer': { about: 'person', kinds: ['money'] },
  'adjust-credits': { about: 'person', kinds: ['money'] },
  'close-account': { about: 'person' },
  'export-person': { about: 'person' },
  'end-sessions': { about: 'person' },
  unlock: {},
  lock: {},
  'resend-mail': {},
  'replay-dead-letter': {},
  'replay-dead-letters': {},
  'discard-dead-letter': {},
  'clear-unlock-limit': {},
}

const aboutOf = (action: string): Change['about'] => (CHANGES[action] ?? READS[action])?.about

const ofKind = (kind: 'money' | 'songs'): string[] =>
  Object.keys(CHANGES).filter((action) => CHANGES[action]?.kinds?.includes(kind))

/** Actions by what the operator filters the audit for. */
export const ACTIONS = {
  changes: Object.keys(CHANGES),
  money: ofKind('money'),
  songs: ofKind('songs'),
} as const

/** The log holds ids alone; names, addresses and styles are read as long as they exist, and as long as their service answers. */
export async function auditView(
  { db, songs, payments }: { db: Database; payments: PaymentsClient; songs: SongsClient },
  entries: readonly AuditEntry[],
): Promise<AuditRow[]> {
  const targets = (about: string): string[] => [
    ...new Set(
      entries.flatMap(({ action, target }) => (aboutOf(action) === about && target ? [target] : [])),
    ),
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
    const about = aboutOf(entry.action)
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
