import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** `npm run service -- songs`: one part as its own process; it refuses to run with settings missing and names them all. */

const PARTS = ['gateway', 'songs', 'credits', 'payments', 'storage', 'notifier']
const [name = ''] = process.argv.slice(2)
const folder = name === 'gateway' ? '../../gateway' : `../../services/${name}`
const main = fileURLToPath(new URL(`${folder}/src/main.ts`, import.meta.url))
if (!PARTS.includes(name) || !existsSync(main)) {
  process.stderr.write(`Name one part: ${PARTS.join(', ')}.\n`)
  process.exit(1)
}
await import(pathToFileURL(main).href)
