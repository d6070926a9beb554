import { isDeepStrictEqual } from 'node:util'
import type { Song } from '@prelude/contracts'
import { debtOf } from '@prelude/credits/model'
import { AppError, newId } from '@prelude/platform'
import { type Model, newModel, type SeenSong } from './model.ts'
import type { Services } from './services.ts'

/** The product and its model disagree. */
class Disagreement extends Error {
  override readonly name = 'Disagreement'
}

/** Something that is done to the product and to its model alike. `model` answers false where it is refused. */
export interface Act {
  readonly name: string
  readonly run: () => Promise<unknown>
  readonly model: (model: Model) => boolean
  /** It changes neither songs nor accounts. */
  readonly isElsewhere?: boolean
}

/** `unclear`: refused when it was repeated after a crash, which came before or after its effect. */
type Outcome = 'accepted' | 'refused' | 'unclear' | 'busy'

/** Answers while another act on the song is not finished: the caller tries again. */
const BUSY: readonly string[] = ['charge_pending', 'fulfilment_in_progress', 'upload_failed']

/**
 * Two people's life in the product. The model is a set of states, each of which the acts so far may have led to; what is read
 * from the product leaves those that agree with it. When none is left, product and model disagree.
 */
export class World {
  readonly services: Services
  readonly uids = ['ada', 'bob'].map((name) => `${name}-${newId()}`)
  /** What happened, one line each. */
  readonly story: string[] = []
  /** Rare states that were reached. */
  readonly reached = new Set<string>()
  #models: readonly Model[]

  constructor(services: Services, startingCents: number) {
    this.services = services
    this.#models = [newModel(services.clock.now(), this.uids, startingCents)]
  }

  /** One that agrees with the product. */
  get model(): Model {
    return this.#models[0] as Model
  }

  change(work: (model: Model) => void): void {
    for (const model of this.#models) work(model)
  }

  agree<T>(what: string, real: T, expected: (model: Model) => unknown, agrees = isDeepStrictEqual): void {
    const left = this.#models.filter((model) => agrees(expected(model), real))
    if (left.length === 0) {
      const should = new Set(this.#models.map((model) => JSON.stringify(expected(model))))
      this.disagree(`${what} is ${JSON.stringify(real)}, by the model ${[...should].join(' or ')}`)
    }
    this.#models = left
  }

  disagree(what: string): never {
    throw new Disagreement(what)
  }

  /** Tries again after every crash, as a caller with the same id does, or a bus with the same message. */
  async survive<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const starts = this.services.starts()
      try {
        return await work()
      } catch (error) {
        if (!(await this.services.recover(starts))) throw error
        this.story.push(...this.services.newCrashes())
      }
    }
  }

  async #attempt(act: Act): Promise<Outcome> {
    let tries = 0
    return this.survive<Outcome>(async () => {
      const starts = this.services.starts()
      tries++
      try {
        await act.run()
        return 'accepted'
      } catch (error) {
        if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
        this.story.push(`${act.name}: ${error.code}`)
        // storage answers upload_failed also when it crashes
        if (error.code === 'upload_failed' && (await this.services.recover(starts))) throw error
        if (BUSY.includes(error.code)) return 'busy'
        return tries > 1 ? 'unclear' : 'refused'
      }
    })
  }

  /**
   * Does acts at once; each but the first begins after 0 to 7 more statements of the services, three bits of `pace` each. What
   * the model allows in any order is allowed. Answers which pairs of acts overlapped.
   */
  async atOnce(acts: readonly Act[], pace = 0): Promise<(one: string, other: string) => boolean> {
    const outcomes: Outcome[] = []
    const spans: { readonly from: number; to: number }[] = []
    let instant = 0
    const begin = async (act: Act, i: number): Promise<void> => {
      const span = (spans[i] = { from: instant++, to: Infinity })
      outcomes[i] = await this.#attempt(act)
      span.to = instant++
    }
    const [first, ...others] = acts
    const begun = first && begin(first, 0)
    const rest = others.map(async (act, i) => {
      await Promise.race([this.services.afterStatements((pace >> (3 * i)) % 8), begun])
      await begin(act, i + 1)
    })
    await Promise.all([begun, ...rest])
    for (const [i, act] of acts.entries()) {
      if (outcomes[i] === 'busy') outcomes[i] = await this.#attempt(act)
      if (outcomes[i] === 'busy') outcomes[i] = 'refused'
    }
    this.#allow(acts, outcomes)
    if (!acts.every(({ isElsewhere }) => isElsewhere)) await this.read()
    return (one, other) => {
      const [a, b] = [one, other].map((name) => spans[acts.findIndex((act) => act.name.startsWith(name))])
      return a !== undefined && b !== undefined && a.from < b.to && b.from < a.to
    }
  }

  #allow(acts: readonly Act[], outcomes: readonly Outcome[]): void {
    const said = acts.map(({ name }, i) => `${name}: ${outcomes[i]}`).join(' | ')
    this.story.push(...this.services.newCrashes(), said)
    const allowed: Model[] = []
    for (const before of this.#models)
      for (const order of ordersOf(acts.map((_, i) => i))) {
        const model = structuredClone(before)
        const agrees = order.every((i) => {
          const may = acts[i]?.model(model)
          return outcomes[i] === 'unclear' || may === (outcomes[i] === 'accepted')
        })
        if (agrees && !allowed.some((other) => isDeepStrictEqual(model, other))) allowed.push(model)
      }
    if (allowed.length === 0) this.disagree(`by the model, in no order "${said}"`)
    this.#models = allowed
  }

  /** Compares all songs and accounts. */
  async read(): Promise<void> {
    const { songs, credits } = this.services
    for (const uid of this.uids) {
      const account = await this.survive(() => credits.account({ params: { uid } }))
      this.agree(`the account of ${uid}`, [account.balanceCents, account.debtCents], ({ accounts }) => {
        const { balance = 0, ...model } = accounts.get(uid) ?? {}
        return [balance, 'debts' in model ? debtOf({ balance, ...model }) : 0]
      })
      const { items } = await this.survive(() => songs.list({ query: { uid, limit: 100 } }))
      this.agree(
        `the songs of ${uid}`,
        items.map((song) => stateOf(song.id, seenIn(song))).toSorted(),
        (model) =>
          [...model.songs].flatMap(([id, song]) => (song.uid === uid ? [stateOf(id, song)] : [])).toSorted(),
      )
      for (const { id, promisedAt } of items) this.#readPromise(id, promisedAt)
    }
  }

  /** A promise may be one of several, by the place of the song in the queue; from here on it does not move. */
  #readPromise(id: string, at: number | null): void {
    const promisesOf = ({ songs }: Model): number[] => songs.get(id)?.promises ?? []
    this.agree(`the promise of ${id}`, at, promisesOf, (may) =>
      at === null ? (may as number[]).length === 0 : (may as number[]).includes(at),
    )
    this.change(({ songs }) => {
      const song = songs.get(id)
      if (song && at !== null) song.promises = [at]
    })
  }
}

export const stateOf = (
  id: string,
  { charge, status, started, late, changes, accepted, made, messages, unread }: Seen,
): string =>
  [
    ...[
      id,
      charge,
      status,
      started && 'started',
      late && 'late',
      changes,
      accepted && 'accepted',
      made.join('+'),
    ],
    `${messages} messages, unread ${unread.owner} and ${unread.studio}`,
  ]
    .filter(Boolean)
    .join(' ')

type Seen = Omit<SeenSong, 'uid' | 'promises' | 'deliveredAt' | 'takes' | 'toOwner'>

/** A song is recorded as late once. */
const seenIn = (song: Song): Seen => ({
  charge: song.charge,
  status: song.status,
  started: song.startedAt !== null,
  changes: song.changes?.state ?? null,
  late: song.timeline.filter(({ state }) => state === 'late').length === 1,
  accepted: song.acceptedAt !== null,
  made: song.made ? [song.made[1], song.made[2]].map((one) => one?.how ?? null) : [],
  messages: song.messages.count,
  unread: { owner: song.unreadByOperator ?? 0, studio: song.messages.unread },
})

export function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((one, i) => ordersOf(items.toSpliced(i, 1)).map((order) => [one, ...order]))
}
