import { SERVICE_NAMES } from '@prelude/contracts'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** `npm run service -- songs`: runs one service as its own process; an error names all missing settings. */

const [name = ''] = process.argv.slice(2)
const folder = name === 'gateway' ? '../../gateway' : `../../services/${name}`
const main = fileURLToPath(new URL(`${folder}/src/main.ts`, import.meta.url))
if (!SERVICE_NAMES.some((service) => service === name) || !existsSync(main)) {
  process.stderr.write(`Name one service: ${SERVICE_NAMES.join(', ')}.\n`)
  process.exit(1)
}
await import(pathToFileURL(main).href)
