import { type ComponentType, createElement, lazy } from 'react'

/** Components whose chunk could not be imported, to be imported again. */
const failed = new Set<() => void>()

/** Lets every component that failed to load be imported again when it is next rendered. */
export function retryFailedImports(): void {
  for (const reset of failed) reset()
  failed.clear()
}

/** React's `lazy`, which keeps a failed import for ever, with a way to try again: `retryFailedImports`. */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  const importLazily = () =>
    lazy(() =>
      load().catch((error: unknown) => {
        failed.add(() => (Loaded = importLazily()))
        throw error
      }),
    )
  let Loaded = importLazily()
  return (props) => createElement(Loaded, props)
}
