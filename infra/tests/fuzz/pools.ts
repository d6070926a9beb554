import { MP3 } from '../support/audio-files.ts'
import { ODD, type Known, type Random } from './generate.ts'

/** What answers returned, by what it is: `songs`, `people`, or `.email` for the value of a field. Later calls send it. */
export interface Pools {
  keep(kind: string, value: unknown): void
  recent(kind: string): unknown
  known: Known
  idOf(path: string): string
  /** Keeps ids and fields of an answer to this path. */
  collect(body: unknown, path: string): void
}

const MOST = 30
const DAY_MS = 24 * 60 * 60_000
/** Fields and headers whose valid values no schema tells. */
const FIXED: Readonly<Record<string, readonly unknown[]>> = {
  'tus-resumable': ['1.0.0'],
  'upload-length': [MP3.length],
  'upload-offset': [0, 0, 100],
  'upload-metadata': ['filename YS5tcDM=,filetype YXVkaW8vbXBlZw=='],
  endpoint: ['https://push.example/one', 'https://push.example/two'],
  p256dh: [`B${'A'.repeat(86)}`],
  auth: ['A'.repeat(22)],
  amount: [25, 100, 37_000, 40_000.5],
}
/** By the last segment of a path: what its ids are. */
const KINDS: Readonly<Record<string, readonly string[]>> = { 'naira-transfers': ['payments', 'transfers'] }
/** Fields that later calls send, under the name that they have there. */
const KEPT: Readonly<Record<string, string>> = {
  uid: '.uid',
  email: '.email',
  nextCursor: '.cursor',
  credits: '.credits',
}

export function createPools(random: Random, password: string): Pools {
  const pools = new Map<string, unknown[]>()
  const keep: Pools['keep'] = (kind, value) => {
    const pool = pools.get(kind) ?? []
    if (!pool.includes(value)) pool.push(value)
    if (pool.length > MOST) pool.shift()
    pools.set(kind, pool)
  }
  const recent: Pools['recent'] = (kind) => {
    const pool = pools.get(kind) ?? []
    return pool.length === 0 ? undefined : random.pick(random.chance(0.7) ? pool.slice(-3) : pool)
  }
  const keepField = (field: string, value: unknown, kind: string): void => {
    if (field === 'id') for (const one of KINDS[kind] ?? [kind]) keep(one, value)
    const name = KEPT[field]
    if (name !== undefined && value !== null) keep(name, value)
    if (field !== 'url' || typeof value !== 'string') return
    const last = value.split('/').at(-1) ?? ''
    keep(kind, last) // of a link: its token
    if (!value.includes('cs_')) return
    keep('.session_id', last)
    keep('checkouts', value)
  }
  const collect = (value: unknown, kind: string): void => {
    if (Array.isArray(value)) return value.slice(0, 10).forEach((one) => collect(one, kind))
    for (const [field, inner] of Object.entries(value ?? {})) {
      if (typeof inner === 'object' && inner !== null)
        collect(inner, field === 'certificate' ? 'certificates' : kind)
      else keepField(field, inner, kind)
    }
  }
  return {
    keep,
    recent,
    known: (name) => {
      if (name === 'password') return password
      if (name === 'expiresAt') return random.pick([null, Date.now() + DAY_MS])
      if (name === 'version1' || name === 'version2') return recent('uploads')
      const fixed = FIXED[name]
      return fixed ? random.pick(fixed) : recent(`.${name}`)
    },
    idOf: (path) => {
      const kind = kindOf(path)
      const from = random.chance(0.85) ? kind : random.pick([...pools.keys(), kind])
      const uid = from === 'people' ? '.uid' : from
      return String(recent(uid) ?? random.pick(ODD))
    },
    collect: (body, path) => {
      if (typeof body !== 'object') return
      const last = segmentsOf(path).at(-1) ?? ''
      collect(body, last.endsWith('s') ? last : kindOf(path))
    },
  }
}

const segmentsOf = (path: string): string[] => path.replace('/api/operator/', '/api/').split('/').slice(2)

/** Whose id stands in a path: the segment before it. */
const kindOf = (path: string): string => {
  const segments = segmentsOf(path)
  return segments[segments.findIndex((segment) => /^\{u?id\}$/.test(segment)) - 1] ?? ''
}
