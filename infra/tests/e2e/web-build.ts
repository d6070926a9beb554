import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const PAGE = 'web/dist/index.html'

/** Errors: the web app that the tests open is not built. A product that runs already has its own. */
export function requireWebBuild(): void {
  if (!process.env['PRODUCT_DIR'] && !existsSync(`${ROOT}/${PAGE}`))
    throw new Error(`The web app is not built: make ${PAGE}`)
}
