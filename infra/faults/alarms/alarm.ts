import type { Scene } from '../scene.ts'

export type Witness = Scene

/** Something that goes wrong, the alerts that must tell of it, and what ends it. */
export interface Alarm {
  readonly alerts: readonly string[]
  readonly how: string
  provoke(witness: Witness): Promise<void> | void
  repair(witness: Witness): Promise<void> | void
}
