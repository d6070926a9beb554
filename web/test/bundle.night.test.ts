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

/** The scripts of a page: the entry, English, and the named lazy modules, with all that they import. */
function scriptsOf(chunks: ReadonlyMap<string, Chunk>, lazy: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    chunks.get(name)?.imports.forEach(add)
  }
  const modules = ['messages/en.ts', ...lazy].map((module) => `${SRC}/${module}`)
  for (const [name, { isEntry, facadeModuleId }] of chunks)
    if (isEntry || modules.includes(facadeModuleId ?? '')) add(name)
  return found
}

const LANGUAGES = `${SRC}/messages/languages/`
const LANGUAGE_FILES = readdirSync(LANGUAGES).map((file) => LANGUAGES + file)

/** The modules of each chunk that has a language other than English in it. */
const languageChunks = (chunks: ReadonlyMap<string, Chunk>): string[] =>
  [...chunks.values()]
    .map(({ moduleIds }) => moduleIds.join())
    .filter((modules) => modules.includes(LANGUAGES))
    .toSorted()

const LANDING: readonly string[] = []
const HOME = ['app/home.tsx', 'app/user-controls.tsx', 'app/live-updates.tsx']

const sizeOf = (chunks: ReadonlyMap<string, Chunk>, names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0)

let before: Map<string, Chunk>
beforeAll(async () => void (before = await chunksOf()))

test('the first page loads at most 110 kB of scripts', () => {
  const scripts = scriptsOf(before, LANDING)
  expect([...scripts].map((name) => name.replace(/.*\/|-.*/g, ''))).toEqual(
    expect.arrayContaining(['index', 'app', 'en', 'vendor']),
  )
  expect(sizeOf(before, scripts)).toBeLessThan(110_000)
})

test('each language but English is a chunk of its own', () => {
  expect(languageChunks(before)).toEqual(LANGUAGE_FILES.toSorted())
})

test('the page of a link loads at most 60 kB of scripts', async () => {
  const chunks = await chunksOf(undefined, resolve(import.meta.dirname, '../vite.share.config.ts'))
  const scripts = scriptsOf(chunks, [])
  expect([...scripts].map((name) => name.replace(/.*\/|-.*/g, ''))).toEqual(
    expect.arrayContaining(['share', 'en']),
  )
  expect(sizeOf(chunks, scripts)).toBeLessThan(60_000)
  expect(languageChunks(chunks)).toEqual(LANGUAGE_FILES.toSorted())
})

test.for<[file: string, page: string, lazy: readonly string[]]>([
  ['messages/en.ts', 'landing', LANDING],
  ['features/landing/landing.tsx', 'landing', LANDING],
  ['messages/en.ts', 'home', HOME],
  ['features/album/album.tsx', 'home', HOME],
])('a changed line in %s costs a browser that returns to %s less than 20 kB', async ([file, , lazy]) => {
  const after = await chunksOf(file)
  const again = [...scriptsOf(after, lazy)].filter((name) => !before.has(name))
  expect(again.length).toBeGreaterThan(0)
  expect(sizeOf(after, again)).toBeLessThan(20_000)
})
