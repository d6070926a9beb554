import type { PlacedObject } from '@prelude/contracts'
import { newId } from '../../src/ids.ts'

/** An object as storage places it, for tests without storage. */
export const placedObject = (path: string, given: Partial<PlacedObject> = {}): PlacedObject => ({
  id: newId(),
  path,
  contentType: 'audio/mpeg',
  sizeBytes: 1,
  sha256: '0'.repeat(64),
  durationMs: 1000,
  placedAt: Date.now(),
  ...given,
})
