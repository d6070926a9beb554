import type { Scene } from '../scene.ts'

export interface Drill {
  readonly name: string
  /** Ends with all services and servers running. Errors: one sentence about what did not hold. */
  run(scene: Scene): Promise<void>
}
