import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { ServerMissing } from '../servers/server-missing.ts'

/** Chromium without its window, in a package of its own: the same engine for a quarter less work, and no tab is throttled. */
const SHELL = '/usr/bin/chromium-headless-shell'

const WHOLE = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const firstOf = (paths: readonly (string | undefined)[]): string | undefined =>
  paths.find((path) => path !== undefined && path !== '' && existsSync(path))

/** The path of the whole Chromium that is installed, with what only it has, as notifications. */
export const wholeChromium = (): string | undefined => firstOf(WHOLE)

/** The path of the Chromium that tests drive: the headless shell, unless there is none or `CHROMIUM_PATH` names another one. */
export const installedChromium = (): string | undefined =>
  firstOf(process.env['CHROMIUM_PATH'] ? WHOLE : [SHELL, ...WHOLE])

export const CHROMIUM_MISSING =
  'No Chromium here. Install it (Debian: apt-get install chromium chromium-headless-shell) or set CHROMIUM_PATH.'

const launch = (executablePath: string | undefined): Promise<Browser> => {
  if (executablePath === undefined) throw new ServerMissing(CHROMIUM_MISSING)
  return chromium.launch({ executablePath, args: ARGS })
}

/** Errors: ServerMissing. */
export const launchBrowser = async (): Promise<Browser> => launch(installedChromium())

/** Errors: ServerMissing. */
export const launchWholeBrowser = async (): Promise<Browser> => launch(wholeChromium())
