import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { findBrowser } from './browser.ts'

/**
 * Finds the browser and builds the web app, unless it is up to date or the tests use a product that runs
 * already and has its own, before the first test.
 */
export async function setup(): Promise<void> {
  findBrowser()
  if (process.env['PRODUCT_DIR']) return
  // a production build: the test runner's own NODE_ENV would make a development build
  execFileSync('make', ['--silent', 'web/dist/index.html'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    stdio: 'inherit',
    env: { ...process.env, MAKEFLAGS: '', NODE_ENV: 'production' },
  })
}
