import { setTimeout as delay } from 'node:timers/promises'
import { type Scene, PSQL, sql } from '../scene.ts'

/** Ends a fault. */
type Repair = () => Promise<unknown> | void

/** A fault, the alerts that must fire for it, and its repair. */
export interface Alarm {
  readonly alerts: readonly string[]
  readonly how: string
  provoke(scene: Scene): Promise<Repair>
}

/** Repeats each of the requests until the returned function is called. */
export function repeat(...requests: (() => Promise<unknown>)[]): () => void {
  let going = true
  for (const request of requests)
    void (async () => {
      while (going) {
        await request().catch(() => {})
        await delay(100)
      }
    })()
  return () => {
    going = false
  }
}

/** Holds a lock in a database session of its own, as `songs.song in exclusive mode`. */
export async function lockTable(scene: Scene, lock: string): Promise<Repair> {
  const statements = `set application_name = 'alarm'; begin; lock table ${lock}; select pg_sleep(600)`
  await scene.compose('exec', '--detach', ...PSQL, statements)
  return () =>
    sql(scene, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'alarm'`)
}
