import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin, type Rolldown } from 'vite'
import { beforeAll, expect, test, vi } from 'vitest'

/** What browsers load of a build, and load again after one of our lines has changed. */

const SRC = resolve(import.meta.dirname, '../src')
const configFile = resolve(import.meta.dirname, '../vite.config.ts')

type Chunk = Rolldown.OutputChunk

/** The chunks of a build; `changed` is a file of ours that has another line in it. */
async function chunksOf(changed?: string, config = configFile): Promise<Map<string, Chunk>> {
  const change: Plugin = {
    name: 'change',
    transform: (code, id) =>
      id === `${SRC}/${changed}` ? `${code}\nglobalThis.changed = '${changed}'` : null,
  }
  // that of the test runner would make a development build
  vi.stubEnv('NODE_ENV', 'production')
  const built = (await build({
    configFile: config,
    mode: 'production',
    logLevel: 'silent',
    plugins: [change],
    build: { write: false },
  })) as Rolldown.RolldownOutput
  vi.unstubAllEnvs()
  const chunks = built.output.filter((one) => one.type === 'chunk')
  expect(chunks.some(({ code }) => code.includes('globalThis.changed'))).toBe(changed !== undefined)
  return new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
}

/** The scripts of a page: the entry, and the named lazy modules, with all that they import. */
function scriptsOf(chunks: ReadonlyMap<string, Chunk>, lazy: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    chunks.get(name)?.imports.forEach(add)
  }
  const modules = lazy.map((module) => `${SRC}/${module}`)
  for (const [name, { isEntry, facadeModuleId }] of chunks)
    if (isEntry || modules.includes(facadeModuleId ?? '')) add(name)
  return found
}

const MESSAGES = `${SRC}/messages/`
const FILES = readdirSync(`${MESSAGES}visitor`)
const cataloguesOf = (...readers: string[]): string[] =>
  readers.flatMap((reader) => FILES.map((file) => `${MESSAGES}${reader}/${file}`)).toSorted()

/** The modules of each chunk that has texts in it. */
const textChunks = (chunks: ReadonlyMap<string, Chunk>): string[] =>
  [...chunks.values()]
    .map(({ moduleIds }) => moduleIds.filter((id) => /messages\/\w+\//.test(id)).join())
    .filter((modules) => modules !== '')
    .toSorted()

const LANDING = ['messages/visitor/en.ts']
const HOME = [
  ...LANDING,
  'messages/person/en.ts',
  'app/home.tsx',
  'app/user-controls.tsx',
  'app/live-updates.tsx',
]

const sizeOf = (chunks: ReadonlyMap<string, Chunk>, names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0)

let before: Map<string, Chunk>
beforeAll(async () => void (before = await chunksOf()))

test.for(FILES)('the first page loads at most 110 kB of scripts with the texts of %s', (file) => {
  const scripts = scriptsOf(before, [`messages/visitor/${file}`])
  expect([...scripts].map((name) => name.replace(/.*\/|-.*/g, ''))).toEqual(
    expect.arrayContaining(['index', 'app', file.replace('.ts', ''), 'vendor']),
  )
  expect(sizeOf(before, scripts)).toBeLessThan(110_000)
})

test('the texts of each language are three chunks, by who reads them', () => {
  expect(textChunks(before)).toEqual(cataloguesOf('visitor', 'person', 'operator'))
})

test('the page of a link loads at most 60 kB of scripts', async () => {
  const chunks = await chunksOf(undefined, resolve(import.meta.dirname, '../vite.share.config.ts'))
  const scripts = scriptsOf(chunks, LANDING)
  expect([...scripts].map((name) => name.replace(/.*\/|-.*/g, ''))).toEqual(
    expect.arrayContaining(['share', 'en']),
  )
  expect(sizeOf(chunks, scripts)).toBeLessThan(60_000)
  expect(textChunks(chunks)).toEqual(cataloguesOf('visitor'))
})

test.for<[file: string, page: string, lazy: readonly string[]]>([
  ['messages/visitor/en.ts', 'landing', LANDING],
  ['features/landing/landing.tsx', 'landing', LANDING],
  ['messages/person/en.ts', 'home', HOME],
  ['features/album/album.tsx', 'home', HOME],
])('a changed line in %s costs a browser that returns to %s less than 20 kB', async ([file, , lazy]) => {
  const after = await chunksOf(file)
  const again = [...scriptsOf(after, lazy)].filter((name) => !before.has(name))
  expect(again.length).toBeGreaterThan(0)
  expect(sizeOf(after, again)).toBeLessThan(20_000)
})
