import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { obtainFromDebian } from '../../native/debian.ts'

const PATHS = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const there = (): string | undefined =>
  PATHS.find((path) => path !== undefined && path !== '' && existsSync(path))

/** The path of Chromium: an installed one, or installed now as a package of Debian. Errors: a sentence about how to install it. */
export async function obtainBrowser(): Promise<string> {
  if (there() === undefined)
    await obtainFromDebian('chromium').catch((error: unknown) =>
      process.stdout.write(`Chromium was not installed: ${String(error)}\n`),
    )
  const found = there()
  if (found === undefined)
    throw new Error('No Chromium here. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.')
  return found
}

/** Chromium without its window, in a package of its own: the same engine for a quarter less work, and no tab is throttled. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** Has the headless shell installed where that is possible; elsewhere the tests drive the browser that is there. */
export async function obtainShell(): Promise<void> {
  if (process.env['CHROMIUM_PATH'] || !existsSync('/usr/bin/apt-get')) return
  await obtainFromDebian(SHELL, 'chromium-headless-shell').catch((error: unknown) =>
    process.stdout.write(`Without the headless shell, which takes longer: ${String(error)}\n`),
  )
}

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const launch = (executablePath: string): Promise<Browser> => chromium.launch({ executablePath, args: ARGS })

export const launchBrowser = async (): Promise<Browser> =>
  launch(!process.env['CHROMIUM_PATH'] && existsSync(SHELL) ? SHELL : await obtainBrowser())

/** With everything that only the whole browser has, as notifications. */
export const launchWholeBrowser = async (): Promise<Browser> => launch(await obtainBrowser())
