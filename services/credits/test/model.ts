/** A plain model of the ledger, for one person: the real one is compared with it. */
export interface Model {
  balance: number
  /** What is owed for each payment that was ever owed for, in the order of the first time. */
  readonly debts: Map<string, number>
  /** Songs that have asked or were given; a Map keeps the order of asking. */
  readonly songs: Map<string, 'waiting' | 'charged' | 'refunded' | 'gift' | 'closed'>
  /** Of songs that were requested. */
  readonly prices: Map<string, number>
  readonly payments: Map<string, { credits: number; reversed: number }>
  isClosed: boolean
}

export const emptyModel = (balance: number): Model => ({
  balance,
  debts: new Map(),
  songs: new Map(),
  prices: new Map(),
  payments: new Map(),
  isClosed: false,
})

export const debtOf = (model: Model): number => [...model.debts.values()].reduce((sum, owed) => sum + owed, 0)

export function request(model: Model, songId: string, price: number): void {
  if (model.songs.has(songId)) return
  model.prices.set(songId, price)
  model.songs.set(songId, 'waiting')
  chargeWaiting(model)
  if (model.isClosed) stopWaiting(model)
}

export function topUp(model: Model, paymentId: string, credits: number): void {
  if (model.payments.has(paymentId)) return
  model.payments.set(paymentId, { credits, reversed: 0 })
  arrive(model, credits)
}

/** Answers how much was reversed: no more than what is left of the payment. */
export function reverse(model: Model, paymentId: string, wanted: number): number {
  const payment = model.payments.get(paymentId)
  const credits = Math.min(wanted, payment ? payment.credits - payment.reversed : 0)
  if (!payment || credits === 0) return 0
  payment.reversed += credits
  const taken = Math.min(model.balance, credits)
  model.balance -= taken
  if (taken < credits) model.debts.set(paymentId, (model.debts.get(paymentId) ?? 0) + credits - taken)
  return credits
}

/** Of credits that were reversed. */
export function reinstate(model: Model, paymentId: string, credits: number): void {
  const payment = model.payments.get(paymentId)
  if (!payment || payment.reversed < credits) throw new Error(`${paymentId} was not reversed so far`)
  payment.reversed -= credits
  const owed = model.debts.get(paymentId) ?? 0
  const forgiven = Math.min(owed, credits)
  if (forgiven > 0) model.debts.set(paymentId, owed - forgiven)
  if (credits > forgiven) arrive(model, credits - forgiven)
}

/** False when it is refused. */
export function adjust(model: Model, amount: number): boolean {
  if (model.balance + amount < 0) return false
  if (amount > 0) arrive(model, amount)
  else model.balance += amount
  return true
}

/** A gift, or a song that was closed: it costs nothing from here on. */
export function unpaid(model: Model, songId: string, as: 'gift' | 'closed'): void {
  const state = model.songs.get(songId)
  if (state === 'charged') {
    model.songs.set(songId, 'refunded')
    arrive(model, priceOf(model, songId))
  } else if (state === undefined || state === 'waiting') model.songs.set(songId, as)
}

/** The account is closed: what is left is forfeited, what is owed is written off, and nothing waits any more. */
export function close(model: Model): void {
  model.isClosed = true
  model.balance = 0
  model.debts.clear()
  stopWaiting(model)
}

function stopWaiting(model: Model): void {
  for (const [songId, state] of model.songs) if (state === 'waiting') model.songs.set(songId, 'closed')
}

function arrive(model: Model, credits: number): void {
  model.balance += credits
  for (const [paymentId, owed] of model.debts) {
    const paid = Math.min(model.balance, owed)
    model.balance -= paid
    model.debts.set(paymentId, owed - paid)
  }
  chargeWaiting(model)
}

const priceOf = (model: Model, songId: string): number => model.prices.get(songId) ?? 0

function chargeWaiting(model: Model): void {
  for (const [songId, state] of model.songs) {
    const price = priceOf(model, songId)
    if (state !== 'waiting' || model.balance < price) continue
    model.balance -= price
    model.songs.set(songId, 'charged')
  }
}
