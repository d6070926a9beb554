import { execFileSync } from 'node:child_process'
import { findBrowser } from './browser.ts'

/** Builds the web app and makes sure that a browser is there, before the first story. */
export function setup(): void {
  findBrowser()
  execFileSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit' })
}
