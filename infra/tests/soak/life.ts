import { AppError, newId } from '@prelude/platform'
import { Delivery } from './delivery.ts'
import {
  erase,
  HOUR_MS,
  newSong,
  noticesOf,
  markLateAndAccepted,
  SONG_ACTS,
  type SongAct,
  windowEnd,
} from './model.ts'
import { Money } from './money.ts'
import { type Member, MEMBERS, type Services, type Source, SOURCES } from './services.ts'
import { type Act, World } from './world.ts'

/** Any number below n. */
export type Choose = (n: number) => number

export const RARE = {
  late: 'a song is late and cancelled at once',
  window: 'the window of changes ends while a note is sent',
  refund: 'a song is refunded and fulfilled at once',
  closing: 'an account is closed and charged at once',
  hole: 'hundreds of positions are missing in a log that goes on',
} as const

/** `callId`: the same when it is repeated. */
type Run = (services: Services, id: string, also: boolean, callId: string) => Promise<unknown>

const RUNS: Record<SongAct, Run> = {
  fulfil: async ({ songs, place }, id, gift) => {
    await songs.checkFulfillable({ params: { id }, query: { gift } })
    const [version1, version2] = await place(id, 'both')
    if (!version1 || !version2) return
    const made = { how: 'people', with: null } as const
    await songs.fulfil({ params: { id }, body: { gift, version1: { ...version1, made }, version2 } })
  },
  start: ({ songs }, id, gift) => songs.start({ params: { id }, body: { gift } }),
  release: ({ songs }, id) => songs.release({ params: { id } }),
  cancel: ({ songs }, id) => songs.cancel({ params: { id } }),
  decline: ({ songs }, id) => songs.decline({ params: { id }, body: { reason: 'no' } }),
  askChanges: ({ songs }, id) =>
    songs.askChanges({ params: { id }, body: { notes: [{ version: 1, text: 'louder' }] } }),
  deliverChanges: async ({ songs, place }, id) => {
    await songs.checkChanges({ params: { id } })
    const objects = (await place(id, 'first')).map((object) => ({ version: 1 as const, object }))
    await songs.deliverChanges({ params: { id }, body: { objects } })
  },
  stateMade: ({ songs }, id, first) =>
    songs.stateMade({ params: { id }, body: { made: { [first ? 1 : 2]: { how: 'ai', with: null } } } }),
  accept: ({ songs }, id) => songs.accept({ params: { id } }),
  giveBack: ({ songs }, id, delivered) =>
    songs.refund({ params: { id }, body: { reason: 'no singer', delivered } }),
  write: ({ thread }, id, byOperator, messageId) =>
    thread.write({ params: { id, messageId }, body: { from: byOperator ? 'studio' : 'owner', text: 'hm' } }),
  read: ({ thread }, id, byOperator) =>
    thread.read({ params: { id }, body: { by: byOperator ? 'studio' : 'owner', before: 8.64e15 } }),
}

/** What two people do and what happens to them, step by step, until all has settled. */
export class Life {
  readonly world: World
  readonly money: Money
  readonly delivery: Delivery
  readonly #services: Services
  readonly #closed = new Set<string>()
  /** Closed so long ago that no request of theirs can still arrive. */
  readonly #gone = new Set<string>()

  constructor(services: Services, startingCents: number, begin: Readonly<Record<Source, number>>) {
    this.#services = services
    this.world = new World(services, startingCents)
    this.money = new Money(this.world)
    this.delivery = new Delivery(this.world, begin)
  }

  uid = (which: number): string => this.world.uids[which % this.world.uids.length] ?? ''

  /** The id of a song; undefined when there is none. */
  song = (which: number): string | undefined => {
    const ids = [...this.world.model.songs.keys()]
    return ids[which % ids.length]
  }

  async submit(which: number): Promise<void> {
    const uid = this.uid(which)
    if (this.#gone.has(uid)) return
    const id = newId()
    const body = { uid, username: 'Ada', email: 'ada@example.test', lyrics: 'la', style: 'folk' }
    const request = () => this.#services.songs.request({ params: { id }, body })
    const run = () => request().then(request)
    const model: Act['model'] = ({ songs }) => songs.set(id, newSong(uid)) instanceof Map
    await this.world.atOnce([{ name: `submit ${id}`, run, model }])
  }

  songAct(act: SongAct, id: string, also = false): Act {
    const callId = newId()
    return {
      name: `${act} ${id}${also ? ' all the same' : ''}`,
      run: () => RUNS[act](this.#services, id, also, callId),
      model: (model) => {
        const song = model.songs.get(id)
        return song !== undefined && SONG_ACTS[act]({ song, model, also })
      },
    }
  }

  /** With `isNoticed` the songs service notices what the time causes. */
  time(ms: number, isNoticed = true): Act {
    let passes = true
    return {
      name: `time: ${(ms / HOUR_MS).toFixed(1)} h`,
      run: async () => {
        if (passes) this.#services.clock.pass(ms)
        passes = false
        if (isNoticed) await this.#services.run('songs', 'mark-late-and-accepted')
      },
      model: (model) => {
        model.now += ms
        if (isNoticed) markLateAndAccepted(model)
        return true
      },
    }
  }

  /** Asks for a draft of a song. Whether it can have one is not modelled; that none outlives its song is an invariant. */
  async draft(songId: string | undefined): Promise<void> {
    if (songId === undefined) return
    const body = { callId: newId(), count: 1 }
    const make = () => this.#services.drafts.make({ params: { songId }, body })
    await this.world.survive(async () => {
      await make().catch((error: unknown) => {
        if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
      })
    })
  }

  async pass(hours: number, isNoticed = true): Promise<void> {
    await this.#eraseLate()
    await this.world.atOnce([this.time(hours * HOUR_MS, isNoticed)])
    for (const uid of this.#closed) this.#gone.add(uid)
  }

  /** Requests that came after their account was closed. */
  async #eraseLate(): Promise<void> {
    await this.world.survive(() => this.#services.run('songs', 'erase-late-songs'))
    await this.world.survive(() => this.#services.run('payments', 'erase-late-payments'))
    this.world.change((model) => {
      for (const uid of model.erased) erase(model, uid)
    })
  }

  /** Until the next promise or window of this song passes; else some hours. */
  until(id: string | undefined, hours = 7): Act {
    const { songs, now } = this.world.model
    const song = songs.get(id ?? '')
    const next = song && (song.status === 'ready' ? windowEnd(song) : song.promises[0])
    return this.time(next !== undefined && next > now ? next - now + 1 : hours * HOUR_MS)
  }

  /** The clock of one process jumps. */
  jump(member: Member, hours: number): void {
    this.#services.clock.set(member, hours * HOUR_MS)
    if (member === 'songs') this.world.change((model) => void (model.songsAheadMs = hours * HOUR_MS))
    this.world.story.push(`the clock of ${member} is ${hours} h ahead`)
  }

  /** The remaining balance is forfeited, and debts are written off; each service receives it in its own time. */
  async closeAccount(which: number): Promise<void> {
    const uid = this.uid(which)
    if (this.#closed.has(uid)) return
    this.#closed.add(uid)
    await this.#services.closeAccount(uid)
    this.world.story.push(`close the account of ${uid}`)
  }

  /** Acts on one song, and perhaps events and time, at once. */
  async together(id: string, acts: readonly (Act | null)[], pace: number): Promise<void> {
    const { songs, now: before } = structuredClone(this.world.model)
    const song = songs.get(id)
    const given = acts.filter((act) => act !== null)
    const overlapped = await this.world.atOnce(given, pace)
    const { now } = this.world.model
    const passed = (at = Infinity): boolean => before < at && at <= now
    const reached: Record<string, boolean | undefined> = {
      [RARE.late]: overlapped('cancel', 'time') && song?.status === 'pending' && passed(song.promises[0]),
      [RARE.window]: overlapped('askChanges', 'time') && song?.status === 'ready' && passed(windowEnd(song)),
      [RARE.refund]:
        overlapped('giveBack', 'fulfil') && song?.charge === 'charged' && song.status === 'pending',
      [RARE.closing]: overlapped('gateway → credits AccountClosed', 'songs → credits SongRequested'),
    }
    for (const [state, is] of Object.entries(reached)) if (is) this.world.reached.add(state)
  }

  /** A transaction of hundreds of events draws its positions, others commit after it, and it commits before the reader's `n`th statement. */
  async hole(events: number, n: number): Promise<void> {
    await this.delivery.pull()
    const wide = await this.#services.appendWide(events)
    try {
      await this.submit(this.#closed.has(this.uid(0)) ? 1 : 0)
      wide.commitBefore(n)
      await this.delivery.pull()
    } finally {
      if (await wide.commit()) this.world.reached.add(RARE.hole)
    }
    this.world.story.push(`${events} events are committed before statement ${n} of the reader`)
  }

  /** Everything that is under way arrives, in an order that `choose` makes up. */
  async settle(choose: Choose): Promise<void> {
    for (const member of MEMBERS) this.#services.crashAt(member, Infinity)
    await this.#services.recover(0)
    for (const member of MEMBERS) this.jump(member, 0)
    if (this.money.unsent.length > 0 && choose(8) === 0) await this.money.reconcile()
    const isNewestFirst = choose(2) === 0
    await this.#drain(choose, isNewestFirst)
    await this.#eraseLate()
    await this.#drain(choose, isNewestFirst)
    await this.#services.run('notifier', 'send-due-messages')
  }

  async #drain(choose: Choose, isNewestFirst: boolean): Promise<void> {
    for (;;) {
      const { unsent } = this.money
      const place = isNewestFirst ? unsent.length - 1 : choose(unsent.length)
      if (unsent.length > 0 && choose(3) === 0) await this.money.webhook(unsent[place] ?? 0, false)
      const again = choose(10) === 0 ? choose(1_000) : undefined
      if (await this.delivery.any(choose(1_000), 2 ** choose(6), again)) continue
      if (unsent.length === 0 && !(await this.delivery.any(0, 1))) return
    }
  }

  /** To be asked when everything has settled. */
  async agreeOnEverything(): Promise<void> {
    const { world } = this
    await world.read()
    await this.money.agreeOnPayments()
    for (const uid of world.uids) {
      const params = { uid }
      const { items: entries } = await this.#services.credits.entries({ params, query: { limit: 1 } })
      const balance = entries[0]?.balanceAfterCents ?? 0
      world.agree('the newest line of the statement', balance, ({ accounts }) => accounts.get(uid)?.balance)
      const { items } = await this.#services.notices.list({ params, query: { limit: 100 } })
      const notices = items.flatMap(({ kind, songId }) => (songId === null ? [] : [`${kind} ${songId}`]))
      world.agree(`the notices of ${uid}`, notices.toSorted(), (model) => noticesOf(model, uid).toSorted())
    }
  }

  /** Both accounts are closed, and nothing of them is left. Answers where the logs end. */
  async end(choose: Choose): Promise<Record<Source, number>> {
    await this.pass(25)
    await this.settle(choose)
    const { items: unsent } = await this.#services.messages.list({ query: { unsent: true } })
    this.world.agree('mails that are not sent', unsent, () => [])
    await this.#services.run('storage', 'sweep')
    await this.#agreeOnObjects()
    for (const which of [0, 1]) await this.closeAccount(which)
    await this.settle(choose)
    await this.agreeOnEverything()
    await this.#agreeOnObjects()
    this.world.agree('songs of closed accounts', 0, ({ songs }) => songs.size)
    return Object.fromEntries(SOURCES.map((source) => [source, this.delivery.positionOf(source)])) as Record<
      Source,
      number
    >
  }

  async #agreeOnObjects(): Promise<void> {
    await this.#services.run('storage', 'delete-objects')
    this.world.agree('the songs of all objects', (await this.#services.stored()).toSorted(), ({ songs }) =>
      [...songs].flatMap(([id, { takes }]) => Array.from({ length: takes }, () => id)).toSorted(),
    )
  }
}
