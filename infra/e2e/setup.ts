import { execFileSync } from 'node:child_process'
import { findBrowser } from './browser.ts'

/** Builds the web app and makes sure that a browser is installed, before the first test. */
export function setup(): void {
  findBrowser()
  // a production build: the test runner's own NODE_ENV would make a development build
  execFileSync('npm', ['run', 'build', '--silent'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  })
}
