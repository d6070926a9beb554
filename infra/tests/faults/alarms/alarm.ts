import type { Scene } from '../scene.ts'

/** Ends a fault. */
export type Repair = () => Promise<unknown> | void

/** A fault, the alerts that must fire for it, and its repair. */
export interface Alarm {
  readonly alerts: readonly string[]
  readonly how: string
  provoke(scene: Scene): Promise<Repair>
}
