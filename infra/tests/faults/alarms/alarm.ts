import type { Scene } from '../scene.ts'

/** A fault, the alerts that must fire for it, and its repair. */
export interface Alarm {
  readonly alerts: readonly string[]
  readonly how: string
  /** Limit for the alerts to fire, and to end after the repair, where it is longer than usual. */
  readonly withinMs?: number
  provoke(scene: Scene): Promise<void> | void
  repair(scene: Scene): Promise<void> | void
}
