import type { Stage, StageCounts } from '@prelude/contracts'
import { FOLDED, isPersonFound, type Query } from '@prelude/platform'
import { COLUMNS, DUE, PROMISED, type SongRecord, UNPAID_AFTER_MS } from './song.ts'

/** Of which songs, and of which part of the list: `limit` songs after the one at `after`. */
interface Wanted {
  readonly uid: string | undefined
  /** One literal phrase in title, lyrics or style, folded as `FOLDED` says; without `uid` also in name or address of the person. */
  readonly q: string | undefined
  readonly status: string | undefined
  readonly stage: Stage | undefined
  readonly favourite: boolean | undefined
  readonly archived: boolean | undefined
  /** With messages that the operator has not read. */
  readonly unread: boolean | undefined
  readonly limit: number
}

type ByTime = readonly [at: number, id: string]
/** An untitled song has the empty title, which no song can be given. */
type ByTitle = readonly [title: string, ...ByTime]

interface Order {
  /** The time that orders the list, in SQL and of a row. */
  readonly by: string
  readonly timeOf: (song: SongRecord) => number
  readonly direction: 'asc' | 'desc'
}

const NEWEST: Order = { by: 'created_at', timeOf: ({ createdAt }) => createdAt, direction: 'desc' }
const BY_DUE: Order = {
  by: DUE,
  timeOf: ({ charge, promisedAt, createdAt }) =>
    charge === 'charged' || charge === 'gift' ? (promisedAt ?? 0) : createdAt + UNPAID_AFTER_MS,
  direction: 'asc',
}

const UNPAID = `status = 'pending' and charge in ('declined', 'refunded')`

/** The lists of the operator's desk; each has an index that begins with its time. */
const STAGES: Readonly<Record<Stage, Order & { readonly where: string }>> = {
  todo: { ...BY_DUE, where: `((${PROMISED} and started_at is null) or (${UNPAID}))` },
  studio: { ...BY_DUE, where: `${PROMISED} and started_at is not null` },
  late: { ...BY_DUE, where: `${PROMISED} and late_at is not null` },
  changes: {
    where: `status = 'ready' and changes ->> 'state' = 'asked'`,
    by: `(changes ->> 'askedAt')::bigint`,
    timeOf: ({ changes }) => changes?.askedAt ?? 0,
    direction: 'asc',
  },
  delivered: {
    where: `status = 'ready'`,
    by: 'delivered_at',
    timeOf: ({ deliveredAt }) => deliveredAt ?? 0,
    direction: 'desc',
  },
}
const orderOf = (stage: Stage | undefined): Order => (stage ? STAGES[stage] : NEWEST)

/** The place of a song in its list. */
export const positionIn = (stage: Stage | undefined, song: SongRecord): ByTime => [
  orderOf(stage).timeOf(song),
  song.id,
]

/** In the order of the stage, or newest first. */
export function listByTime(db: Query, wanted: Wanted, after: ByTime | null): Promise<SongRecord[]> {
  const { params, where, bind } = conditionsOf(wanted)
  const order = orderOf(wanted.stage)
  if (after) where.push(follows(order, after, bind))
  return read(db, params, `${where.join(' and ')} order by ${inOrder(order)} limit ${bind(wanted.limit)}`)
}

/** The newest of one title first, the untitled ones last. Sorts all songs of the person, which their index finds. */
export function listByTitle(db: Query, wanted: Wanted, after: ByTitle | null): Promise<SongRecord[]> {
  const { params, where, bind } = conditionsOf(wanted)
  if (after) {
    const [title, ...time] = after
    const same = title === '' ? 'title is null' : `title = ${bind(title)}`
    const later = title === '' ? [] : [`title is null or ${TITLE} > ${bind(title)}`]
    where.push(`(${[...later, `(${same} and ${follows(NEWEST, time, bind)})`].join(' or ')})`)
  }
  return read(
    db,
    params,
    `${where.join(' and ')} order by title is null, ${TITLE}, ${inOrder(NEWEST)} limit ${bind(wanted.limit)}`,
  )
}

/** In the order of people, not of bytes, with numbers by their value. */
const TITLE = 'title collate by_title'

type Bind = (value: unknown) => string

const inOrder = ({ by, direction }: Order): string => `${by} ${direction}, id ${direction}`

const follows = ({ by, direction }: Order, [at, id]: ByTime, bind: Bind): string =>
  `(${by}, id) ${direction === 'desc' ? '<' : '>'} (${bind(at)}::bigint, ${bind(id)}::uuid)`

function conditionsOf({ uid, q, status, stage, favourite, archived, unread }: Wanted) {
  const params: unknown[] = []
  const bind: Bind = (value) => `$${params.push(value)}`
  const where = [stage ? STAGES[stage].where : 'true']
  if (uid !== undefined) where.push(`uid = ${bind(uid)}`)
  if (status === 'closed') where.push(`status in ('cancelled', 'declined')`)
  else if (status !== undefined) where.push(`status = ${bind(status)}`)
  if (favourite !== undefined) where.push(`favourite = ${bind(favourite)}`)
  if (archived !== undefined) where.push(`archived = ${bind(archived)}`)
  if (unread) where.push(`(messages #>> '{owner,unread}')::integer > 0`)
  if (q !== undefined) where.push(uid === undefined ? isFoundOfAnybody(bind(q)) : isFound(bind(q)))
  return { params, where, bind }
}

const isFound = (q: string): string => `position(${FOLDED(`${q}::text`)} in folded) > 0`

/** Names and addresses are folded once a person: for each song that would take longer than the limit of a statement. */
const isFoundOfAnybody = (q: string): string => `(${isFound(q)} or (username, email) in (
  select username, email from song group by username, email having ${isPersonFound(q, 'username', 'email')}))`

/** The songs of each stage, or those of them that have the phrase. */
export async function countStages(db: Query, q: string | undefined): Promise<StageCounts> {
  const found = `with song as materialized (
    select status, charge, created_at, promised_at, started_at, late_at, changes from song where ${isFoundOfAnybody('$1')})`
  const counts = Object.entries(STAGES).map(
    ([stage, { where }]) => `(select count(*) from song where ${where}) as ${stage}`,
  )
  const { rows } = await db.query<StageCounts>(
    `${q === undefined ? '' : found} select ${counts.join()}`,
    q === undefined ? [] : [q],
  )
  return rows[0]!
}

async function read(db: Query, params: readonly unknown[], which: string): Promise<SongRecord[]> {
  const { rows } = await db.query<SongRecord>(`select ${COLUMNS} from song where ${which}`, [...params])
  return rows
}
