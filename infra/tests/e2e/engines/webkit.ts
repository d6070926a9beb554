import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Builder } from 'selenium-webdriver'
import { findProgram } from '../../servers/installed.ts'
import { ANSWER_WITHIN_MS, freePort, startProcess } from '../../servers/server-process.ts'
import { findSound, startSound } from './sound.ts'
import type { DrivenBrowser } from './webdriver-tab.ts'

/** WebKit as Debian builds it for GTK: the engine of Safari, with GStreamer for sound. */

/** Errors: ServerMissing. */
export function findWebKit(): void {
  findProgram('Xvfb')
  findProgram('WebKitWebDriver')
  findSound()
}

/** Starts MiniBrowser with its WebDriver server, on a display that nobody sees. */
export async function startWebKit(dir: string): Promise<DrivenBrowser> {
  const downloads = join(dir, 'downloads')
  for (const folder of [downloads, join(dir, '.config')]) await mkdir(folder, { recursive: true })
  await writeFile(join(dir, '.config/user-dirs.dirs'), 'XDG_DOWNLOAD_DIR="$HOME/downloads"\n')
  const displayLog = join(dir, 'display', 'xvfb.log')
  const displayNumber = async (): Promise<string> => {
    const [number] = /^\d+$/m.exec(await readFile(displayLog, 'utf8')) ?? []
    if (number === undefined) throw new Error('the display is not ready')
    return number
  }
  const display = await startProcess({
    name: 'xvfb',
    dir: join(dir, 'display'),
    command: 'Xvfb',
    args: ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    healthy: async () => void (await displayNumber()),
  })
  const sound = await startSound(join(dir, 'sound'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: 'webkit',
    dir,
    command: 'WebKitWebDriver',
    args: [`--port=${port}`],
    env: { DISPLAY: `:${await displayNumber()}`, HOME: dir, ...sound.env },
    healthy: async () =>
      void (await fetch(`${url}/status`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })),
  })
  const driver = await new Builder()
    .usingServer(url)
    .withCapabilities({ browserName: 'MiniBrowser' })
    .disableEnvironmentOverrides()
    .build()
  return {
    driver,
    downloads,
    stop: async () => {
      await driver.quit()
      await server.stop()
      await sound.stop()
      await display.stop()
    },
  }
}
