import { type EventEnvelope, fromCents, type Song, SONG_PRICE_CENTS } from '@prelude/contracts'
import { debtOf } from '@prelude/credits/model'
import * as ledger from '@prelude/credits/model'
import { AppError, isCode, newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import { type MoneyService, type MoneyServices, SERVICES, type Source, SUBSCRIBES_TO } from './services.ts'
import { newPerson, newSong, type Person, received, type SeenSong, settledCharge } from './person.ts'
import { type Provider, signed } from './provider.ts'
import { DONE, expectedOf, goneCents, leftCents, openTruth, type Truth } from './truth.ts'

interface Checkout {
  readonly id: string
  readonly sessionId: string
  readonly truth: Truth
}

/** The product and its model disagree. */
class Disagreement extends Error {
  override readonly name = 'Disagreement'
}

function agree(what: string, real: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(real), JSON.stringify(expected)]
  if (is !== should) throw new Disagreement(`${what} is ${is}, by the model ${should}`)
}

/** One person's life in the product, done to the real services and to their model alike. */
export class World {
  readonly #services: MoneyServices
  readonly #provider: Provider
  readonly #person: Person
  readonly #checkouts: Checkout[] = []
  readonly #transfers: { readonly id: string; readonly truth: Truth; readonly kobo: number }[] = []
  /** What the provider has reported; sent or not, in any order, any number of times. */
  readonly #messages: { readonly event: Record<string, unknown>; isSent: boolean }[] = []
  readonly #emitted: Record<Source, EventEnvelope[]> = { songs: [], credits: [], payments: [], gateway: [] }
  readonly #handled = new Map<string, number>()
  #isClosed = false

  constructor(services: MoneyServices, provider: Provider, startingCents: number) {
    this.#services = services
    this.#provider = provider
    this.#person = newPerson(`person-${newId()}`, startingCents)
  }

  /** Tries again after every crash, as a caller with the same id does, or a bus with the same message. */
  async #survive<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(await this.#services.restart())) throw error
      }
    }
  }

  /** Refused exactly when the model refuses. */
  async #accepted(what: string, expected: boolean, work: () => Promise<unknown>): Promise<boolean> {
    const done = await this.#survive(() =>
      work().then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.kind !== 'unavailable') return false
          throw error
        },
      ),
    )
    agree(`whether "${what}" is accepted`, done, expected)
    return done
  }

  crash(service: number, n: number): void {
    this.#services.crashAt(SERVICES[service % SERVICES.length] as MoneyService, n)
  }

  async submit(): Promise<void> {
    const { uid, songs } = this.#person
    const id = newId()
    const body = { uid, username: 'Ada', email: 'ada@example.test', lyrics: 'la', style: 'folk' }
    for (const _ of [1, 2]) await this.#survive(() => this.#services.songs.request({ params: { id }, body }))
    songs.set(id, newSong())
  }

  async fulfil(which: number, gift: boolean): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const may = isDecided(song) && (isPaid(song) || gift)
    const body = { gift, version1: placedObject(`songs/${id}/1`), version2: placedObject(`songs/${id}/2`) }
    // a retry first reads whether the call before it took effect
    const fulfil = async (): Promise<unknown> => {
      const { status, storagePath1 } = await this.#services.songs.get({ params: { id } })
      return may && status === 'ready' && storagePath1 !== null
        ? null
        : this.#services.songs.fulfil({ params: { id }, body })
    }
    if (!(await this.#accepted(`fulfil ${song.charge}`, may, fulfil))) return
    song.status = 'ready'
    if (song.charge !== 'charged') song.charge = 'gift'
  }

  async start(which: number, gift: boolean): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const may = isDecided(song) && (song.started || isPaid(song) || gift)
    const start = () => this.#services.songs.start({ params: { id }, body: { gift } })
    if (!(await this.#accepted(`start ${song.charge}`, may, start)) || song.started) return
    song.started = true
    if (song.charge !== 'charged') song.charge = 'gift'
  }

  async release(which: number): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const release = () => this.#services.songs.release({ params: { id } })
    if (await this.#accepted('release', song.status === 'pending', release)) song.started = false
  }

  /** By the owner or by the operator. */
  async close(which: number, as: 'cancelled' | 'declined'): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const { songs } = this.#services
    const params = { id }
    const may = isDecided(song) && (as === 'declined' || !song.started || song.late)
    const call = { params, query: { callId: newId() } }
    const close = () =>
      as === 'cancelled' ? songs.cancel(call) : songs.decline({ ...call, body: { reason: 'no' } })
    if (!(await this.#accepted(as, may, close))) return
    song.status = as
    song.started = false
    if (song.charge === 'charged') song.charge = 'refunded'
  }

  /** Every promise has passed, and is noticed. */
  async passTime(): Promise<void> {
    await this.#survive(() => this.#services.run('songs', 'notice-time'))
    for (const song of this.#person.songs.values())
      if (song.status === 'pending' && isPaid(song)) song.late = true
  }

  async askChanges(which: number): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const { songs } = this.#services
    const may = song.status === 'ready' && !song.accepted && song.changes === null
    const call = { params: { id }, query: { callId: newId() } }
    const ask = () => songs.askChanges({ ...call, body: { notes: [{ version: 1, text: 'louder' }] } })
    if (await this.#accepted('ask for changes', may, ask)) song.changes = 'asked'
  }

  async deliverChanges(which: number): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const { songs } = this.#services
    const may = song.changes === 'asked'
    const body = { objects: [{ version: 1 as const, object: placedObject(`songs/${id}/1-2`) }] }
    const deliver = async (): Promise<unknown> =>
      may && (await songs.get({ params: { id } })).changes?.state === 'delivered'
        ? null
        : songs.deliverChanges({ params: { id }, body })
    if (await this.#accepted('deliver changes', may, deliver)) song.changes = 'delivered'
  }

  async accept(which: number): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const may = song.status === 'ready' && song.changes !== 'asked'
    const accept = () => this.#services.songs.accept({ params: { id } })
    if (await this.#accepted('accept', may, accept)) song.accepted = true
  }

  /** Each service receives the event in its own time. The remaining balance is forfeited, and debts are written off. */
  async closeAccount(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#services.closeAccount(this.#person.uid)
  }

  /** `delivered`: also when the song is ready. */
  async giveBack(which: number, delivered: boolean): Promise<void> {
    const [id, song] = pick([...this.#person.songs], which) ?? []
    if (id === undefined || song === undefined) return
    const may = song.charge === 'charged' && (song.status !== 'ready' || delivered)
    const call = { params: { id }, query: { callId: newId() } }
    const refund = () => this.#services.songs.refund({ ...call, body: { reason: 'no singer', delivered } })
    if (await this.#accepted('give back', may, refund)) song.charge = 'refunded'
  }

  async adjust(cents: number): Promise<void> {
    const { uid, account } = this.#person
    const adjustment = { params: { id: newId() }, body: { uid, amountCents: cents, reason: 'so' } }
    const may = account.balance + cents >= 0
    await this.#accepted('adjust', may, () => this.#services.credits.adjust(adjustment))
    ledger.adjust(account, cents)
    await this.#agreeOnAccount()
  }

  async topUp(cents: number): Promise<void> {
    const id = newId()
    const body = { uid: this.#person.uid, email: 'ada@example.test', amountCents: cents }
    const { url } = await this.#survive(() => this.#services.payments.startCheckout({ params: { id }, body }))
    this.#checkouts.push({ id, sessionId: url.split('/').at(-1) ?? '', truth: openTruth(cents) })
  }

  /** Something happens at the provider, if it is possible there. */
  async happen(which: number, act: string, cents: number): Promise<void> {
    const checkout = pick(this.#checkouts, which)
    if (!checkout) return
    const { sessionId, truth } = checkout
    const amountCents = Math.min(cents, leftCents(truth))
    const done =
      act === 'pay' || act === 'pay_later'
        ? await this.#provider.press(sessionId, act)
        : await this.#provider.act(sessionId, act, act === 'refund' ? { amount: fromCents(amountCents) } : {})
    if (!done) return
    DONE[act]?.(truth, amountCents)
    await this.#listen()
  }

  async #listen(): Promise<void> {
    for (const event of await this.#provider.newEvents()) this.#messages.push({ event, isSent: false })
  }

  /** Any message, whether it was sent before or not; `renamed` under another event id. */
  async webhook(which: number, renamed: boolean): Promise<void> {
    const message = pick(this.#messages, which)
    if (!message) return
    const event = renamed ? { ...message.event, id: `evt_${newId()}` } : message.event
    await this.#survive(() =>
      this.#services.payments.receiveWebhook({ params: { provider: 'stripe' }, body: signed(event) }),
    )
    message.isSent = true
  }

  /** The operator refunds through us, whatever we know of the payment by now. */
  async operatorRefund(which: number, cents: number): Promise<void> {
    const paid = this.#checkouts.filter(({ truth }) => truth.state === 'paid')
    const checkout = pick(paid.length > 0 ? paid : this.#checkouts, which)
    if (!checkout) return
    const { id, truth } = checkout
    const amountCents = Math.min(cents, leftCents(truth))
    const refund = { params: { id, refundId: newId() }, body: { amountCents } }
    const isDone = await this.#survive(() =>
      this.#services.payments.refund(refund).then(
        () => true,
        (error: unknown) => {
          if (
            ['invalid_amount', 'not_paid', 'refund_too_high'].some((code) =>
              isCode(error, code as 'not_paid'),
            )
          )
            return false
          throw error
        },
      ),
    )
    if (isDone) DONE['refund']?.(truth, amountCents)
    await this.#listen()
  }

  async transfer(kobo: number, how: 'confirm' | 'reject' | 'record'): Promise<void> {
    const { payments } = this.#services
    const { uid } = this.#person
    const id = newId()
    const truth = openTruth(Math.floor((kobo * 100) / 148_000))
    const settled = how === 'reject' ? 'rejected' : 'paid'
    if (how === 'record') {
      const body = { uid, amountKobo: kobo }
      await this.#survive(() => payments.recordTransfer({ params: { id }, body }))
    } else {
      await this.#survive(() => payments.openTransfer({ params: { id }, body: { uid } }))
      const settle = () =>
        how === 'confirm'
          ? payments.confirmTransfer({ params: { id }, body: { amountKobo: kobo } })
          : payments.rejectTransfer({ params: { id }, body: { reason: 'no' } })
      // a person who gets no answer presses again, and reads that it was settled
      const isSettled = (error: unknown): unknown => {
        if (isCode(error, 'transfer_already_settled')) return null
        throw error
      }
      await this.#survive(() => settle().catch(isSettled))
      await this.#accepted('settle again', false, settle)
    }
    truth.state = settled
    this.#transfers.push({ id, truth, kobo })
  }

  async reconcile(): Promise<void> {
    await this.#survive(() => this.#services.run('payments', 'reconcile-events'))
    for (const message of this.#messages) message.isSent = true
  }

  /**
   * The next `count` events of a topic reach a service in one batch; with `again`, one that it has had comes before them, or
   * alone. False when there is none.
   */
  async deliver(which: number, again: boolean, count = 1): Promise<boolean> {
    await this.#pull()
    const open = this.#lanes().filter(({ done, events }) => (again ? done > 0 : done < events.length))
    const lane = pick(open, which)
    if (!lane) return false
    const old = again ? lane.events.slice(which % lane.done, (which % lane.done) + 1) : []
    const fresh = again && count === 1 ? [] : lane.events.slice(lane.done, lane.done + count)
    await this.#survive(() => this.#services.deliver(lane.service, [...old, ...fresh]))
    this.#handled.set(lane.name, lane.done + fresh.length)
    for (const event of fresh) received(this.#person, lane.service, event)
    if (lane.service === 'credits') await this.#agreeOnAccount()
    return true
  }

  #lanes() {
    return SERVICES.flatMap((service) =>
      SUBSCRIBES_TO[service].map((from) => {
        const name = `${from} → ${service}`
        return { service, name, events: this.#emitted[from], done: this.#handled.get(name) ?? 0 }
      }),
    )
  }

  async #pull(): Promise<void> {
    const last = (source: Source): number => this.#emitted[source].at(-1)?.position ?? 0
    const after = {
      songs: last('songs'),
      credits: last('credits'),
      payments: last('payments'),
      gateway: last('gateway'),
    }
    for (const event of await this.#services.emitted(this.#person.uid, after))
      this.#emitted[event.topic.slice('prelude.'.length) as Source].push(event)
  }

  async #agreeOnAccount(): Promise<void> {
    const { uid, account } = this.#person
    const real = await this.#survive(() => this.#services.credits.account({ params: { uid } }))
    agree('the account', [real.balanceCents, real.debtCents], [account.balance, debtOf(account)])
  }

  /** Everything that is under way arrives, in an order that `choose` makes up; `choose(n)` is below n. */
  async settle(choose: (n: number) => number): Promise<void> {
    for (const service of SERVICES) this.#services.crashAt(service, Infinity)
    await this.#services.restart()
    if (this.#messages.some(({ isSent }) => !isSent) && choose(8) === 0) await this.reconcile()
    const newestFirst = choose(2) === 0
    for (;;) {
      const unsent = this.#messages.flatMap(({ isSent }, index) => (isSent ? [] : [index]))
      const isWebhook = unsent.length > 0 && choose(3) === 0
      const place = newestFirst ? unsent.length - 1 : choose(unsent.length)
      if (isWebhook) await this.webhook(unsent[place] ?? 0, false)
      else if (!(await this.deliver(choose(1_000), choose(10) === 0, 1 + choose(4))) && unsent.length === 0) {
        if (!(await this.deliver(0, false))) break
      }
    }
    if (!this.#isClosed) return
    await this.#services.run('songs', 'erase-late-songs')
    this.#person.songs.clear()
  }

  /** To be asked when everything has settled. */
  async agreeOnEverything(): Promise<void> {
    await this.#agreeOnAccount()
    const { uid, account, songs } = this.#person
    const { items } = await this.#services.songs.list({ query: { uid, limit: 100 } })
    agree(
      'the list of songs',
      items.map((song) => stateOf(song.id, { ...song, ...seenIn(song) })).toSorted(),
      [...songs]
        .map(([id, song]) => stateOf(id, { ...song, charge: settledCharge(this.#person, id) }))
        .toSorted(),
    )
    for (const { id, truth } of [...this.#checkouts, ...this.#transfers]) {
      const real = await this.#services.payments.get({ params: { id } })
      agree('a payment', { status: real.status, refundedCents: real.refundedCents }, expectedOf(truth))
      const known = account.payments.get(id)
      const isPaid = truth.state === 'paid'
      const credits = isPaid ? truth.amountCents - goneCents(truth) : 0
      agree('what a payment left in credits', (known?.credits ?? 0) - (known?.reversed ?? 0), credits)
      agree('whether it was credited', known !== undefined, isPaid)
    }
    const { items: entries } = await this.#services.credits.entries({
      params: { uid },
      query: { limit: 100 },
    })
    agree('the newest line of the statement', entries[0]?.balanceAfterCents ?? 0, account.balance)
    const waits = [...account.songs.values()].includes('waiting')
    agree('whether a song waits with funds', waits && account.balance >= SONG_PRICE_CENTS, false)
  }
}

const stateOf = (
  id: string,
  { charge, status, late, changes, accepted }: Omit<SeenSong, 'started'>,
): string =>
  [id, charge, status, ...(late ? ['late'] : []), changes, ...(accepted ? ['accepted'] : [])].join(' ')

/** A song is recorded as late once. */
const seenIn = ({ timeline, changes, acceptedAt }: Song) => ({
  late: timeline.filter(({ state }) => state === 'late').length === 1,
  changes: changes?.state ?? null,
  accepted: acceptedAt !== null,
})

const isDecided = ({ status, charge }: SeenSong): boolean => status === 'pending' && charge !== 'deciding'
const isPaid = ({ charge }: SeenSong): boolean => charge === 'charged' || charge === 'gift'

const pick = <T>(items: readonly T[], which: number): T | undefined => items[which % items.length]
