import type { Database } from '@prelude/platform'
import webPush from 'web-push'
import { keepKeys, type VapidKeys } from './store/push.ts'

/** The keys that are set, else those in the database, which the first call makes. */
export function vapidKeys(db: Database, set: VapidKeys | null): () => Promise<VapidKeys> {
  let known = set
  return async () => (known ??= await keepKeys(db, webPush.generateVAPIDKeys()))
}
