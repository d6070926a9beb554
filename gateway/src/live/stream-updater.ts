import type { Logger } from '@prelude/platform'
import type { Sessions } from '../accounts/sessions.ts'
import type { Caller } from '../api/caller.ts'
import { type Hint, OPERATOR_CHANNEL, personChannel, readHint } from '../api/hints.ts'
import { type EventOf, isGone } from './objects.ts'
import type { EventStream } from './stream.ts'
import type { KeyValue } from '../api/key-value/port.ts'

export interface UpdaterDeps {
  readonly kv: KeyValue
  readonly logger: Logger
  readonly measures: { readonly sent: (kind: string) => void }
  readonly sessions: Sessions
}

const TRIES = 5
const RETRY_MS = 400

/**
 * Sends the objects of received hints to one stream, one after the other: an older state follows a newer one only when a hint is
 * repeated, and clients keep the newest. Hints that arrive meanwhile for the same object cause one read.
 */
export class StreamUpdater {
  readonly #deps: UpdaterDeps
  readonly #eventOf: EventOf
  readonly #stream: EventStream
  readonly #session: string
  readonly #uid: string
  #unlocked: boolean
  #lockHints = 0
  readonly #leaves: (() => Promise<void>)[] = []
  readonly #waiting = new Map<string, Hint>()
  #working = false

  constructor(deps: UpdaterDeps, eventOf: EventOf, stream: EventStream, caller: Caller) {
    this.#deps = deps
    this.#eventOf = eventOf
    this.#stream = stream
    this.#session = caller.hash
    this.#uid = caller.uid
    this.#unlocked = caller.isUnlocked
  }

  /** Resolves when the subscriptions are active: from then on nothing is missed. */
  async start(isOperator: boolean): Promise<void> {
    const { kv } = this.#deps
    const listen = async (channel: string, receive: (hint: Hint) => void) =>
      this.#leaves.push(await kv.subscribe(channel, (message) => receive(readHint(message))))
    await listen(personChannel(this.#uid), (hint) => this.#receive(hint))
    if (isOperator) await listen(OPERATOR_CHANNEL, (hint) => this.#unlocked && this.#queue(hint))
  }

  stop(): void {
    for (const leave of this.#leaves.splice(0)) leave().catch(() => {}) // its channel has no listener any more
    this.#waiting.clear()
  }

  /** Reads whether the session is unlocked; a hint received during the read is newer. */
  async readLock(): Promise<void> {
    const hintsBefore = this.#lockHints
    const isUnlocked = await this.#deps.sessions.isUnlocked({ hash: this.#session })
    if (hintsBefore === this.#lockHints) this.#unlocked = isUnlocked
  }

  #receive(hint: Hint): void {
    if (hint.kind === 'signed-out') {
      if (hint.id === this.#session) this.#stream.end()
    } else if (hint.kind === 'locked') {
      if (hint.id !== this.#session) return
      this.#lockHints++
      this.#unlocked = false
    } else this.#queue(hint)
  }

  #queue(hint: Hint): void {
    const key = `${hint.kind}:${hint.id}`
    const known = this.#waiting.get(key)
    if ((known?.revision ?? 0) > (hint.revision ?? 0)) return
    this.#waiting.set(key, hint)
    if (!this.#working) void this.#work()
  }

  async #work(): Promise<void> {
    this.#working = true
    for (const [key, hint] of this.#waiting) {
      this.#waiting.delete(key)
      const event = await this.#read(hint)
      const isOperators = hint.kind.startsWith('operator-')
      if (event === null || (isOperators && !this.#unlocked)) continue
      this.#stream.send(event)
      this.#deps.measures.sent(hint.kind)
    }
    this.#working = false
  }

  /** A service that does not answer for long ends the stream: its client reconnects and reads everything. */
  async #read(hint: Hint): Promise<Buffer | null> {
    for (let tried = 1; this.#stream.isOpen; tried++) {
      try {
        return await this.#eventOf(hint, { isUnlocked: this.#unlocked })
      } catch (error) {
        if (isGone(error)) return null
        if (tried === TRIES) {
          this.#deps.logger.warn({ err: error, kind: hint.kind }, 'a live update could not be read')
          this.#stream.end()
          return null
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tried))
      }
    }
    return null
  }
}
