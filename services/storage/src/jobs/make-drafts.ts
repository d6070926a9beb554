import { once } from '@prelude/platform'
import { afterLook, expectedAt } from '../domain/draft.ts'
import { countEnd, endDraft } from '../end-draft.ts'
import { fetchDraft, type FetchDeps } from '../fetch-draft.ts'
import type { GeneratorLoad } from '../generator/port.ts'
import { sendDraft } from '../send-draft.ts'
import {
  anyUnderWay,
  beginGeneratorUse,
  change,
  changeSeen,
  findUnexpected,
  leaseNext,
  leaseSent,
  renewLeases,
  type SentDraft,
} from '../store/drafts.ts'

const EVERY_MS = 2_000
/** Each task is looked at in each run, but by one of several instances. */
const LOOK_AGAIN_MS = 1_000
/** A process that has not renewed a lease for so long is gone. */
const LEASE_MS = 60_000
/** After it was sent: each try reads the whole file again. */
const FETCHED_WITHIN_MS = 2 * 60 * 60_000
/** Of a question to the generator. */
const ANSWERS_WITHIN_MS = 5_000
const LOAD_FRESH_MS = 10_000
/** A process that stops waits so long for the answers to what it is sending. */
const STOPS_WITHIN_MS = 8_000

type Deps = FetchDeps & { readonly draftsAtOnce: number }

type SentTask = SentDraft & { readonly taskId: string; readonly state: 'queued' | 'making' | 'removed' }

/**
 * Sends waiting drafts to the generator, looks at its tasks, and fetches their files. Sending and fetching run beside the job, each
 * under a lease that it renews, so that no draft waits for another. After a crash what was being fetched is fetched again; what was being
 * sent is lost, since a repeat could make it twice.
 */
export function makeDrafts(deps: Deps) {
  const { db, clock, generator, logger } = deps
  const sending = new Works()
  const fetching = new Works()
  let kept: { readonly load: GeneratorLoad | null; readonly until: number } | undefined

  const loadOf = async (): Promise<GeneratorLoad | null> => {
    if (kept && clock.now() < kept.until) return kept.load
    const load = await generator.load(AbortSignal.timeout(ANSWERS_WITHIN_MS)).catch(() => null)
    kept = { load, until: clock.now() + LOAD_FRESH_MS }
    return load
  }
  const fetch = ({ id, sentAt }: SentDraft, result: string): void =>
    fetching.start(id, async (signal) => {
      await fetchDraft(deps, { id, result }, signal).catch(async (error: unknown) => {
        logger.warn({ draft: id, err: error }, 'the file of a draft was not fetched')
        // else tried again when its lease is over
        if (signal.aborted || (await clock.databaseNow(db)) - sentAt < FETCHED_WITHIN_MS) return
        const why = 'Its file could not be fetched and kept within two hours.'
        await endDraft(deps, id, ['fetching'], { state: 'failed', error: why })
      })
    })

  const lookAt = async (tasks: readonly SentTask[], now: number, signal: AbortSignal): Promise<void> => {
    if (tasks.length === 0) return
    const ids = tasks.map(({ taskId }) => taskId)
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    const looks = await generator.look(ids, inTime).catch(() => null)
    for (const task of tasks) {
      const seen = afterLook(task, looks?.get(task.taskId), now)
      const dueAt = now + (seen.state === 'fetching' ? LEASE_MS : LOOK_AGAIN_MS)
      const draft = await db.transaction((tx) => changeSeen(tx, task.id, seen, dueAt))
      if (draft) countEnd(deps, draft)
      if (seen.state === 'fetching' && draft?.state === 'making') fetch(task, seen.file)
    }
  }

  const expect = async (now: number): Promise<void> => {
    const drafts = await findUnexpected(db, now)
    const load = drafts.length > 0 ? await loadOf() : null
    for (const { id, atGenerator, before } of drafts) {
      const tasks = Math.max(load?.queued ?? 0, atGenerator) + before
      const expected_at = expectedAt(now, tasks, load?.meanJobMs ?? null)
      if (expected_at !== null) await db.transaction((tx) => change(tx, id, ['waiting'], { expected_at }))
    }
  }

  const recordUse = once(async () => beginGeneratorUse(db, await clock.databaseNow(db)))
  const run = async (signal: AbortSignal): Promise<void> => {
    await recordUse()
    if (!(await anyUnderWay(db))) return
    const now = await clock.databaseNow(db)
    const dueAt = now + LEASE_MS
    await renewLeases(db, [...sending.ids(), ...fetching.ids()], dueAt)
    const sent = await leaseSent(db, now, dueAt)
    for (const draft of sent) {
      const { id, result, taskId } = draft
      if (result !== null) fetch(draft, result)
      else if (taskId === null)
        await endDraft(deps, id, ['sending', 'removed'], {
          state: 'lost',
          error: 'Prelude was interrupted while it was being sent.',
        })
    }
    await lookAt(sent.filter(isTask), now, signal)
    while (!signal.aborted) {
      const next = await db.transaction((tx) => leaseNext(tx, { now, dueAt, atOnce: deps.draftsAtOnce }))
      if (!next) break
      sending.start(next.id, (over) => sendDraft({ ...deps, loadOf }, next, over))
    }
    await expect(now)
  }
  const close = async (): Promise<void> => {
    const answered = new AbortController()
    await Promise.race([sending.settled(), clock.wait(STOPS_WITHIN_MS, answered.signal)])
    answered.abort()
    await Promise.all([sending.end(), fetching.end()])
  }
  return { job: { name: 'make-drafts', everyMs: EVERY_MS, run }, recordUse, close }
}

const isTask = (draft: SentDraft): draft is SentTask => draft.taskId !== null && draft.result === null

/** What this process does beside the job, by the draft. */
class Works {
  readonly #running = new Map<string, Promise<void>>()
  readonly #over = new AbortController()

  start(id: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#running.has(id) || this.#over.signal.aborted) return
    const done = work(this.#over.signal)
      .catch(() => {})
      .finally(() => this.#running.delete(id))
    this.#running.set(id, done)
  }

  ids(): string[] {
    return [...this.#running.keys()]
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  async end(): Promise<void> {
    this.#over.abort(new Error('the service stops'))
    await this.settled()
  }
}
