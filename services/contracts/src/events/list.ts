import * as all from './all.ts'
import type { EventDefinition } from './event.ts'

/** Every event of the product. */
export const EVENTS: readonly EventDefinition[] = Object.values(all)
