import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const there = (): string | undefined =>
  PATHS.find((path) => path !== undefined && path !== '' && existsSync(path))

/** The path of Chromium: an installed one, or installed now as a package of the system. Errors: a sentence about how to install it. */
export function findBrowser(): string {
  const found = there() ?? install()
  if (found === undefined)
    throw new Error('No Chromium here. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.')
  return found
}

function install(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  process.stdout.write('No Chromium here: installing the system package…\n')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], { env, stdio: 'ignore' })
  return there()
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
