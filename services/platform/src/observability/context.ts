import { AsyncLocalStorage } from 'node:async_hooks'

/** The ids that accompany a request through services and events: its log lines and events carry them. */
export interface Context {
  readonly correlationId: string
  readonly requestId?: string
}

const storage = new AsyncLocalStorage<Context>()

export const currentContext = (): Context | undefined => storage.getStore()

export const context = {
  run: <T>(value: Context, work: () => T): T => storage.run(value, work),
  enter: (value: Context): void => storage.enterWith(value),
}
