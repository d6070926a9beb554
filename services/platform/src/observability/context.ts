import { AsyncLocalStorage } from 'node:async_hooks'

/** The ids that accompany a request through services and events: its log lines and events carry them. */
export interface Context {
  readonly correlationId: string
  readonly requestId?: string
}

export const context = new AsyncLocalStorage<Context>()

export const currentContext = (): Context | undefined => context.getStore()
