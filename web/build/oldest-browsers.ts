/** The oldest browsers that the app is built for (docs/decisions/0049-three-engines.md); Edge is as Chrome, iOS as Safari. */
export const OLDEST_BROWSERS = { chrome: '111', firefox: '121', safari: '16.4' } as const

/** For the syntax of scripts and style sheets. */
export const TARGET = Object.entries(OLDEST_BROWSERS).map(([browser, version]) => browser + version)
