import { createStore } from '../state/store.ts'

/** The build of the app that this page has: its entry script's name holds a hash. */
export const buildName = (): string =>
  /([\w-]+)\.js$/.exec(document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')?.[1] ??
  'dev'

const isOutdated = createStore(false)

/** `served`: the build that the server has, where it has one. */
export const compareBuild = (served: string | undefined): void =>
  isOutdated.set(served !== undefined && buildName() !== 'dev' && served !== buildName())

/** Whether the server has another build of the app than this page. */
export const useIsOutdated = isOutdated.use
