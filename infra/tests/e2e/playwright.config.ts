import { resolve } from 'node:path'
import { defineConfig } from '@playwright/test'
import { WAIT_MS } from '@prelude/platform/eventually'
import { keepTemporaryFilesInMemory } from '../support/temporary-files.ts'
import { ARGS, CHROMIUM_MISSING, installedChromium } from './browser.ts'
import { requireWebBuild } from './web-build.ts'

/**
 * The browser tests, with the Chromium that is installed. Those of the gate are the ones without the tag `@night`:
 * `npx playwright test -c infra/tests/e2e --grep-invert @night`.
 */

const ROOT = resolve(import.meta.dirname, '../../..')

keepTemporaryFilesInMemory()
process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}/node_modules/.cache/node`

// workers read this file too
if (process.env['TEST_WORKER_INDEX'] === undefined) {
  if (installedChromium() === undefined)
    process.stderr.write(`SKIPPED: no browser test runs. ${CHROMIUM_MISSING}\n`)
  else requireWebBuild()
}

export default defineConfig({
  // the tour makes pictures, and tests nothing
  testMatch: process.env['PICTURES'] ? '**/*{.e2e,/tour*}.ts' : '**/*.e2e.ts',
  outputDir: `${ROOT}/artifacts/browser`,
  // one product a worker; the tests of a file run in order
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 5 * WAIT_MS,
  expect: { timeout: WAIT_MS, toPass: { timeout: WAIT_MS } },
  reporter: [['list'], ['../gate/playwright-reporter.ts']],
  use: {
    actionTimeout: WAIT_MS,
    navigationTimeout: WAIT_MS,
    launchOptions: { executablePath: installedChromium() ?? '', args: ARGS },
    viewport: { width: 1280, height: 900 },
    // what the service worker answers cannot be held or changed, and it would fetch the whole app for each context
    serviceWorkers: 'block',
    // animations take processor time in every open page
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // snapshots of the page around each action take a fifth more processor time: on demand, to repeat a failed test
    trace: {
      mode: 'retain-on-failure',
      snapshots: process.env['TRACE'] === 'snapshots',
      screenshots: false,
      sources: false,
    },
  },
})
