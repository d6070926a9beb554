import type { Logger } from '@prelude/platform'
import { setTimeout as delay } from 'node:timers/promises'
import { type Process, sendSignal } from '../tests/servers/server-process.ts'

/** One process that is kept running. */
export interface Supervised {
  readonly name: string
  /** Null while it is down. */
  pid(): number | null
  /** SIGKILL, as by a fault: the supervisor starts it again. */
  crash(): void
  /** SIGKILL; it stays down until `start`. */
  kill(): Promise<void>
  /** SIGTERM; it stays down until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

type Start = () => Promise<Pick<Process, 'pid' | 'ended' | 'stop' | 'kill' | 'freeze' | 'thaw'>>

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
/** After this time an exit is no failed start: the backoff begins at its first pause again. */
const STABLE_AFTER_MS = 30_000

/** Starts a process, and again whenever it exits by itself, with exponential backoff. */
export async function supervise(name: string, startOnce: Start, logger: Logger): Promise<Supervised> {
  let wanted = true
  let current: Awaited<ReturnType<Start>> | null = null
  let starting: Promise<void> | null = null
  let pauseMs = FIRST_PAUSE_MS

  const run = (): Promise<void> => {
    starting ??= startOnce()
      .then((running) => {
        const startedAt = Date.now()
        current = running
        void running.ended.then(() => {
          if (current === running) current = null
          if (Date.now() - startedAt > STABLE_AFTER_MS) pauseMs = FIRST_PAUSE_MS
          return again()
        })
      })
      .finally(() => (starting = null))
    return starting
  }
  const again = async (): Promise<void> => {
    while (wanted && current === null) {
      logger.error({ program: name, pauseMs }, 'exited, starting it again')
      await delay(pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (!wanted || current !== null) return
      await run().catch((error: Error) => logger.error({ program: name, err: error }, 'did not start'))
    }
  }
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    wanted = false
    await starting?.catch(() => {})
    await current?.[how]()
    current = null
  }

  await run()
  return {
    name,
    pid: () => current?.pid ?? null,
    crash: () => {
      if (current) sendSignal(current.pid, 'SIGKILL')
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    start: async () => {
      wanted = true
      if (current === null) await run()
    },
    freeze: () => current?.freeze(),
    thaw: () => current?.thaw(),
  }
}
