import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'

export type Load<P> = () => Promise<{ default: ComponentType<P> }>

/**
 * A component whose code is imported when it is first rendered; until then `placeholder` is shown. The nearest error boundary
 * gets the error of an import that fails, and the next one that is mounted imports again.
 *
 * Not React's `lazy`: after a fallback, Suspense holds back the content for up to 300 ms, and `lazy` keeps a failed import for ever.
 */
export function lazyComponent<P extends object>(
  load: Load<P>,
  placeholder: ReactNode = null,
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  let loading: Promise<void> | null = null
  const start = async (): Promise<void> => {
    try {
      loaded = (await load()).default
    } finally {
      loading = null
    }
  }
  return function Lazy(props: P) {
    const [, setLoaded] = useState(false)
    const [failure, setFailure] = useState<{ error: unknown } | null>(null)
    useEffect(() => {
      if (loaded) {
        setLoaded(true) // by another one, after this one was rendered
        return
      }
      let isCurrent = true
      loading ??= start()
      loading.then(
        () => isCurrent && setLoaded(true),
        (error: unknown) => isCurrent && setFailure({ error }),
      )
      return () => void (isCurrent = false)
    }, [])
    if (failure) throw failure.error
    return loaded ? createElement(loaded, props) : placeholder
  }
}
