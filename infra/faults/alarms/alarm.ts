import type { Scene } from '../scene.ts'

export type Witness = Scene

/** Something that goes wrong, the alerts that must tell of it, and what ends it. */
export interface Alarm {
  readonly alerts: readonly string[]
  readonly how: string
  /** Where it takes longer than others to be seen, and to be seen mended. */
  readonly withinMs?: number
  provoke(witness: Witness): Promise<void> | void
  repair(witness: Witness): Promise<void> | void
}
