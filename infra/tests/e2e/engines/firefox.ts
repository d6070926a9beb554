import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from '../../servers/installed.ts'
import { startProcess } from '../../servers/server-process.ts'
import { connectToFirefox } from './marionette.ts'
import { findSound, startSound } from './sound.ts'
import type { DrivenBrowser } from './webdriver-tab.ts'

const PROGRAM = 'firefox-esr'

/** Preferences of the profile: a free port, downloads without a question, no requests to Mozilla. */
const preferences = (downloads: string) => ({
  'marionette.port': 0,
  'browser.download.folderList': 2,
  'browser.download.dir': downloads,
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
})

/** Errors: ServerMissing. */
export function findFirefox(): void {
  findProgram(PROGRAM)
  findSound()
}

/** Starts Firefox without a display, on a new profile in this folder. */
export async function startFirefox(dir: string): Promise<DrivenBrowser> {
  const [profile, downloads] = [join(dir, 'profile'), join(dir, 'downloads')]
  for (const folder of [profile, downloads]) await mkdir(folder, { recursive: true })
  const lines = Object.entries(preferences(downloads)).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  )
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const sound = await startSound(join(dir, 'sound'))
  const portFile = join(profile, 'MarionetteActivePort')
  const firefox = await startProcess({
    name: 'firefox',
    dir,
    command: PROGRAM,
    args: ['--headless', '--marionette', '--no-remote', '--profile', profile],
    env: { HOME: dir, ...sound.env },
    healthy: () => access(portFile),
  })
  const driver = await connectToFirefox(Number(await readFile(portFile, 'utf8')))
  return {
    driver,
    downloads,
    stop: async () => {
      await driver.quit()
      await firefox.stop()
      await sound.stop()
    },
  }
}
