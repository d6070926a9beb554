import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SCHEMES, WIDTHS } from './inspect.ts'

/**
 * `make pictures`: screenshots of every page and state that the browser tests inspect, narrow and wide, light and dark, in
 * artifacts/pictures with an index.html. `ONLY=words of a title` selects tests; `ONLY=tour` makes those of docs/tour.md instead.
 */

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'artifacts/pictures')

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const [only] = process.argv.slice(2)
const isTour = only === 'tour'
const files = isTour
  ? '/tour[a-z-]*[.]ts$'
  : '/(accessibility[a-z-]*|offline|components|ops|share|licence|notices)[.]e2e[.]ts$'
// one worker: the index shows them in the order in which they are taken
const args = ['test', '--config', 'infra/tests/e2e', '--workers=1', files, ...(only ? ['--grep', only] : [])]
try {
  execFileSync(join(ROOT, 'node_modules/.bin/playwright'), args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PICTURES: FOLDER },
  })
} catch {
  process.exitCode = 1
}

if (isTour) process.exit()

const suffix = `-${WIDTHS[0]}-${SCHEMES[0]}.png`
const taken = (name: string): number => statSync(join(FOLDER, name)).mtimeMs
const states = readdirSync(FOLDER)
  .filter((name) => name.endsWith(suffix))
  .toSorted((a, b) => taken(a) - taken(b))
  .map((name) => name.slice(0, -suffix.length))
const columns = WIDTHS.flatMap((one) => SCHEMES.map((other) => `${one}-${other}`))
const row = (state: string): string =>
  `<h2 id="${state}">${state}</h2><div>${columns
    .map(
      (column) =>
        `<a href="${state}-${column}.png"><img loading="lazy" src="${state}-${column}.png" alt="${state}, ${column}"></a>`,
    )
    .join('')}</div>`
writeFileSync(
  join(FOLDER, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Pictures</title>
<style>body{font:16px/1.5 system-ui;margin:24px;background:#888}div{display:flex;gap:12px;align-items:start;overflow-x:auto}img{height:600px;object-fit:cover;object-position:top}a{flex:none}nav{columns:4}</style>
<h1>${states.length} states, ${columns.length} pictures each</h1>
<nav>${states.map((state) => `<a href="#${state}">${state}</a><br>`).join('')}</nav>
${states.map(row).join('\n')}
`,
)
process.stdout.write(`\n${states.length} states: ${join(FOLDER, 'index.html')}\n`)
