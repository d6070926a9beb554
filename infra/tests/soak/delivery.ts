import type { EventEnvelope } from '@prelude/contracts'
import { received } from './model.ts'
import { BULK, type Lane, LANES, type Services, type Source, SOURCES } from './services.ts'
import type { Act, World } from './world.ts'

/** The events of a life on their way from logs to services, which the test delivers. */
export class Delivery {
  readonly #world: World
  readonly #services: Services
  readonly #begin: Readonly<Record<Source, number>>
  readonly #logs: Record<Source, EventEnvelope[]> = { songs: [], credits: [], payments: [], gateway: [] }
  readonly #handled = new Map<Lane, number>()

  /** `begin`: the last position of each log. */
  constructor(world: World, begin: Readonly<Record<Source, number>>) {
    this.#world = world
    this.#services = world.services
    this.#begin = begin
  }

  positionOf = (source: Source): number => this.#logs[source].at(-1)?.position ?? this.#begin[source]

  async pull(): Promise<void> {
    const read = async (source: Source): Promise<void> => {
      this.#logs[source].push(...(await this.#services.read(source, this.positionOf(source))))
    }
    await Promise.all(SOURCES.map(read))
  }

  /**
   * The next `count` events of a log reach a service in one batch; with `again`, one that it has had comes before them, or
   * alone. Null when there is none.
   */
  act(lane: Lane, count: number, again?: number): Act | null {
    const { from, to, name } = lane
    const log = this.#logs[from]
    const done = this.#handled.get(lane) ?? 0
    const fresh: EventEnvelope[] = []
    for (const event of again !== undefined && count === 1 ? [] : log.slice(done)) {
      if (fresh.length >= count && event.key !== BULK) break
      fresh.push(event)
    }
    const old = again === undefined || done === 0 ? [] : [log[again % done] as EventEnvelope]
    const batch = [...old, ...fresh]
    if (batch.length === 0) return null
    const types = new Set(batch.map(({ type }) => type))
    return {
      name: `${name} ${[...types].join(', ')}`,
      run: async () => {
        await this.#services.deliver(to, batch)
        this.#handled.set(lane, done + fresh.length)
      },
      model: (model) => {
        received(model, to, fresh)
        return true
      },
      isElsewhere: to !== 'songs' && to !== 'credits',
    }
  }

  /** A batch of any log that has one. */
  async any(which: number, count: number, again?: number): Promise<boolean> {
    await this.pull()
    const acts = LANES.flatMap((lane) => this.act(lane, count, again) ?? [])
    const act = acts[which % acts.length]
    if (act) await this.#world.atOnce([act])
    return act !== undefined
  }

  /** All events of some logs reach their services, in this order. */
  async all(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.pull()
      const lane = LANES.find((one) => one.name === name)
      const act = lane && this.act(lane, Infinity)
      if (act) await this.#world.atOnce([act])
    }
  }
}
