import type { Stage } from '@prelude/contracts'
import type { Query } from '@prelude/platform'
import { COLUMNS, type SongRecord } from './song.ts'

/** Of which songs, and of which part of the list: `limit` songs after the one at `after`. */
interface Wanted {
  readonly uid: string | undefined
  /** One literal phrase in title, lyrics or style, in any case. */
  readonly q: string | undefined
  readonly status: string | undefined
  readonly favourite: boolean | undefined
  readonly archived: boolean | undefined
  readonly limit: number
}

type ByTime = readonly [createdAt: number, id: string]
/** An untitled song has the empty title, which no song can be given. */
type ByTitle = readonly [title: string, ...ByTime]

/** Newest first. */
export function listNewest(db: Query, wanted: Wanted, after: ByTime | null): Promise<SongRecord[]> {
  const { params, where, bind } = conditionsOf(wanted)
  if (after) where.push(olderThan(after, bind))
  return read(db, params, `${where.join(' and ')} order by ${NEWEST} limit ${bind(wanted.limit)}`)
}

/** The newest of one title first, the untitled ones last. Sorts all songs of the person, which their index finds. */
export function listByTitle(db: Query, wanted: Wanted, after: ByTitle | null): Promise<SongRecord[]> {
  const { params, where, bind } = conditionsOf(wanted)
  if (after) {
    const [title, ...time] = after
    const same = title === '' ? 'title is null' : `title = ${bind(title)}`
    const later = title === '' ? [] : [`title is null or ${TITLE} > ${bind(title)}`]
    where.push(`(${[...later, `(${same} and ${olderThan(time, bind)})`].join(' or ')})`)
  }
  return read(
    db,
    params,
    `${where.join(' and ')} order by title is null, ${TITLE}, ${NEWEST} limit ${bind(wanted.limit)}`,
  )
}

const PROMISED = `status = 'pending' and promised_at is not null and charge in ('charged', 'gift')`
const BY_PROMISE = {
  by: 'promised_at',
  timeOf: ({ promisedAt }: SongRecord): number => promisedAt ?? 0,
  direction: 'asc',
} as const

/** The lists of the operator's desk, and the time that orders each, which its index begins with. */
export const STAGES = {
  todo: { ...BY_PROMISE, where: `${PROMISED} and started_at is null` },
  studio: { ...BY_PROMISE, where: `${PROMISED} and started_at is not null` },
  late: { ...BY_PROMISE, where: `${PROMISED} and late_at is not null` },
  changes: {
    where: `status = 'ready' and changes ->> 'state' = 'asked'`,
    by: `(changes ->> 'askedAt')::bigint`,
    timeOf: ({ changes }: SongRecord): number => changes?.askedAt ?? 0,
    direction: 'asc',
  },
  delivered: {
    where: `status = 'ready'`,
    by: 'delivered_at',
    timeOf: ({ deliveredAt }: SongRecord): number => deliveredAt ?? 0,
    direction: 'desc',
  },
} as const satisfies Record<Stage, object>

/** The songs of a stage, the one first that is due first; the delivered ones newest first. */
export function listStage(
  db: Query,
  stage: Stage,
  wanted: Wanted,
  after: readonly [at: number, id: string] | null,
): Promise<SongRecord[]> {
  const { where: isOfStage, by, direction } = STAGES[stage]
  const { params, where, bind } = conditionsOf(wanted)
  where.push(isOfStage)
  if (after) {
    const comes = direction === 'desc' ? '<' : '>'
    where.push(`(${by}, id) ${comes} (${bind(after[0])}::bigint, ${bind(after[1])}::uuid)`)
  }
  return read(
    db,
    params,
    `${where.join(' and ')} order by ${by} ${direction}, id ${direction} limit ${bind(wanted.limit)}`,
  )
}

const NEWEST = 'created_at desc, id desc'
/** In the order of people, not of bytes. */
const TITLE = 'title collate unicode'

type Bind = (value: unknown) => string

const olderThan = ([createdAt, id]: ByTime, bind: Bind): string =>
  `(created_at, id) < (${bind(createdAt)}::bigint, ${bind(id)}::uuid)`

function conditionsOf({ uid, q, status, favourite, archived }: Wanted) {
  const params: unknown[] = []
  const bind: Bind = (value) => `$${params.push(value)}`
  const where = ['true']
  if (uid !== undefined) where.push(`uid = ${bind(uid)}`)
  if (status === 'closed') where.push(`status in ('cancelled', 'declined')`)
  else if (status !== undefined) where.push(`status = ${bind(status)}`)
  if (favourite !== undefined) where.push(`favourite = ${bind(favourite)}`)
  if (archived !== undefined) where.push(`archived = ${bind(archived)}`)
  // folded like the column; the collation is named because the server's own may know the case of ASCII letters only
  if (q !== undefined)
    where.push(`position(casefold(${bind(q)}::text collate pg_unicode_fast) in folded) > 0`)
  return { params, where, bind }
}

async function read(db: Query, params: readonly unknown[], which: string): Promise<SongRecord[]> {
  const { rows } = await db.query<SongRecord>(`select ${COLUMNS} from song where ${which}`, [...params])
  return rows
}
