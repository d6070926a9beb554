import { isStorable, MAX_MADE_WITH } from '@prelude/contracts'
import { parsed } from './exchange.ts'
import type { GeneratorLoad, Look } from './port.ts'

/** Reads what an ACE-Step server answers, which may be anything. */

const TOOL = 'ACE-Step 1.5'
const MAX_TEXT = 200
const MAX_QUEUE = 1_000_000
const MAX_JOB_SECONDS = 24 * 60 * 60

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** One line that can be stored and shown. */
function cut(value: unknown, max = MAX_TEXT): string {
  if (typeof value !== 'string') return ''
  const line = value
    .slice(0, 10 * max)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return Array.from(line).slice(0, max).join('').trim()
}

const numberIn = (value: unknown, max: number): number | null =>
  typeof value === 'number' && value >= 0 && value <= max ? value : null

const countOf = (value: unknown): number | null => {
  const count = numberIn(value, MAX_QUEUE)
  return count !== null && Number.isInteger(count) ? count : null
}

interface Envelope {
  readonly isOk: boolean
  readonly data: unknown
  /** Empty where it says none. */
  readonly error: string
}

/** Every answer is `{data, code, error}`; a refusal by its framework is `{detail}`. */
export function envelopeOf({ status, value }: { status: number; value: unknown }): Envelope {
  const { data, code = 200, error, detail } = fieldsOf(value)
  return { isOk: status === 200 && code === 200, data, error: cut(error) || cut(detail) }
}

/** Null where it names no task. */
export function releasedOf(data: unknown): { taskId: string; queuePosition: number | null } | null {
  const { task_id: taskId, queue_position: position } = fieldsOf(data)
  if (typeof taskId !== 'string' || !/^[!-~]{1,200}$/.test(taskId)) return null
  return { taskId, queuePosition: countOf(position) }
}

/** Of the tasks that were asked for; an entry that cannot be read says nothing. */
export function looksOf(data: unknown, taskIds: readonly string[]): ReadonlyMap<string, Look> {
  const looks = new Map<string, Look>()
  for (const entry of Array.isArray(data) ? data : []) {
    const { task_id: taskId, status, result } = fieldsOf(entry)
    if (typeof taskId !== 'string' || !taskIds.includes(taskId)) continue
    const look = lookOf(status, typeof result === 'string' ? parsed(result) : result)
    if (look) looks.set(taskId, look)
  }
  return looks
}

function lookOf(status: unknown, results: unknown): Look | undefined {
  const list: readonly unknown[] | null = Array.isArray(results) ? results : null
  const { stage, error, file, seed_value: seed, dit_model: model } = fieldsOf(list?.[0])
  if (status === 0 && list?.length === 0) return { state: 'unclear' }
  if (status === 0 && list) return { state: stage === 'queued' ? 'queued' : 'making' }
  if (status === 2) return { state: 'failed', error: cut(error) || 'The generator failed.' }
  if (status !== 1) return undefined
  if (typeof file !== 'string' || file === '' || !isStorable(file))
    return { state: 'failed', error: 'The generator made no file.' }
  const named = cut(model, MAX_MADE_WITH - TOOL.length - 2)
  return { state: 'done', file, seed: seedOf(seed), with: named === '' ? TOOL : `${TOOL}, ${named}` }
}

/** A number, or the numbers of a batch in a text: the first. */
function seedOf(value: unknown): number | null {
  const seed = typeof value === 'string' && /^\d/.test(value) ? Number.parseInt(value, 10) : value
  return typeof seed === 'number' && Number.isSafeInteger(seed) ? seed : null
}

export function loadOf(data: unknown): GeneratorLoad | null {
  const { queue_size: queue, avg_job_seconds: mean } = fieldsOf(data)
  const queued = countOf(queue)
  const meanJobSeconds = numberIn(mean, MAX_JOB_SECONDS)
  return queued === null
    ? null
    : { queued, meanJobMs: meanJobSeconds === null ? null : Math.round(meanJobSeconds * 1000) }
}

/**
 * A file by the one path that an ACE-Step server serves files at, on its own origin: `/v1/audio?path=` and a name, encoded as the
 * server does it. Errors: any other text.
 */
export function audioPath(file: string): string {
  const [, name = ''] = /^\/v1\/audio\?path=([\w.~%/-]{1,2000})$/.exec(file) ?? []
  const decoded = name === '' || /%(?![\da-f]{2})/i.test(name) ? '' : decodedName(name)
  if (decoded === '' || /[\p{C}\\%]|(^|\/)\.\.?(\/|$)/u.test(decoded))
    throw new Error('it named none that is fetched')
  return file
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}
