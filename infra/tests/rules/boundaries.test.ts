import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'

/** Who may import whom, and that every import is declared: npm hoists, so the compiler would not notice. */

const ROOT = resolve(import.meta.dirname, '../../..')
const WORKSPACES = ['gateway', 'web', 'infra', ...globSync('services/*', { cwd: ROOT })]

/** contracts ← everyone; platform ← gateway and services; services never import each other; only infra sees all. */
const ALLOWED: Record<string, (name: string) => boolean> = {
  'services/contracts': () => false,
  'services/platform': (name) => name === 'contracts',
  web: (name) => name === 'contracts',
  infra: () => true,
}
const serviceMay = (name: string): boolean =>
  ['contracts', 'platform', 'platform/testing', 'platform/eventually'].includes(name)

interface Import {
  readonly file: string
  readonly specifier: string
}

const IMPORT =
  /(?:^|\n)(?:(?:import|export)\s[^;'"]*?\sfrom\s+|import\s+)['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g

function importsOf(workspace: string): Import[] {
  const files = globSync('**/*.{ts,tsx}', {
    cwd: join(ROOT, workspace),
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, workspace, file), 'utf8')
    return [...source.matchAll(IMPORT)].map((match) => ({
      file: join(workspace, file),
      specifier: match[1] ?? match[2] ?? '',
    }))
  })
}

const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const manifestOf = (path: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Record<string, Record<string, string>>

const declared = (path: string): Set<string> => {
  const manifest = manifestOf(path)
  return new Set(
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    ),
  )
}

/** The imports of all workspaces that break a rule. */
const wrongImports = (breaks: (one: Import, workspace: string) => boolean): Import[] =>
  WORKSPACES.flatMap((workspace) => importsOf(workspace).filter((one) => breaks(one, workspace)))

test('a workspace imports only what its boundaries allow', () => {
  const wrong = wrongImports(({ specifier }, workspace) => {
    const [, name] = /^@prelude\/(.+)$/.exec(specifier) ?? []
    return name !== undefined && !(ALLOWED[workspace] ?? serviceMay)(name)
  })
  expect(wrong).toEqual([])
})

test('what is for tests is imported by tests alone', () => {
  const wrong = wrongImports(
    ({ file, specifier }) =>
      /^@prelude\/\w+\/(testing|conformance|eventually)$/.test(specifier) &&
      !/\/tests?\/|\.test\.tsx?$/.test(file),
  )
  expect(wrong).toEqual([])
})

test('no workspace reaches into another one by a path', () => {
  const wrong = wrongImports(
    ({ file, specifier }, workspace) =>
      specifier.startsWith('.') &&
      relative(join(ROOT, workspace), resolve(ROOT, dirname(file), specifier)).startsWith(`..${sep}`),
  )
  expect(wrong).toEqual([])
})

test('every package that is imported is declared, with an exact version', () => {
  const tools = declared('.')
  const isTool = (file: string): boolean => /(\.test\.tsx?$|\/tests?\/|web\/build\/|\.config\.ts$)/.test(file)
  const missing = wrongImports(({ file, specifier }, workspace) => {
    const name = packageName(specifier)
    return (
      /^[@a-z]/.test(specifier) &&
      !specifier.startsWith('node:') &&
      !builtinModules.includes(name) &&
      !declared(workspace).has(name) &&
      !(isTool(file) && tools.has(name))
    )
  })
  expect(missing).toEqual([])
  const loose = WORKSPACES.flatMap((workspace) => {
    const { dependencies = {} } = manifestOf(workspace)
    return Object.entries(dependencies).filter(([, version]) => !/^\d/.test(version))
  })
  expect(loose).toEqual([])
})

test('features of the web app never import each other, and what renders nothing imports nothing that renders', () => {
  expect(globSync('web/src/ui/*.ts', { cwd: ROOT })).toEqual([])
  const wrong = importsOf('web').filter(({ file, specifier }) => {
    const target = relative(ROOT, resolve(ROOT, dirname(file), specifier))
    const featureOf = (path: string) => /^web\/src\/features\/([^/]+)\//.exec(path)?.[1]
    const [feature, other] = [featureOf(file), featureOf(target)]
    const isSilent = /^web\/src\/(api|browser|state|text)\//.test(file)
    return (
      (feature !== undefined && other !== undefined && feature !== other) ||
      (isSilent && /^web\/src\/(app|audio|features|ui)\//.test(target))
    )
  })
  expect(wrong).toEqual([])
})

const PLATFORM = 'services/platform/src'
const GATEWAY = 'gateway/src'
/** Folders, each of which may import those before it; files beside them may be imported by all. */
const LAYERS: Record<string, readonly string[]> = {
  [PLATFORM]: ['observability', 'database', 'events', 'http', 'host'],
  [GATEWAY]: ['api', 'accounts', 'songs', 'money', 'share', 'live', 'operator', 'ops'],
}

/** [file, imported file] within a folder of sources, relative to it. */
const importsWithin = (sources: string): [string, string][] =>
  importsOf(dirname(sources))
    .filter(({ file, specifier }) => file.startsWith(`${sources}/`) && specifier.startsWith('.'))
    .map(({ file, specifier }) => [
      relative(sources, file),
      relative(join(ROOT, sources), resolve(ROOT, dirname(file), specifier)),
    ])

const folderOf = (file: string): string | undefined => (file.includes(sep) ? file.split(sep)[0] : undefined)

test.each(Object.entries(LAYERS))('a folder of %s imports only folders before it', (sources, layers) => {
  const folders = globSync('*/', { cwd: join(ROOT, sources) }).map((folder) => folder.replace(/\/$/, ''))
  expect(folders.filter((name) => !name.endsWith('.ts')).toSorted()).toEqual(layers.toSorted())
  const wrong = importsWithin(sources).filter(([file, target]) => {
    const [from, to] = [folderOf(file), folderOf(target)]
    return from !== undefined && to !== undefined && layers.indexOf(to) > layers.indexOf(from)
  })
  expect(wrong).toEqual([])
})

test('a module of the platform is entered by its index.ts', () => {
  const wrong = importsWithin(PLATFORM).filter(([file, target]) => {
    const module = folderOf(target)
    return module !== undefined && folderOf(file) !== module && target !== `${module}/index.ts`
  })
  expect(wrong).toEqual([])
})

test('beside the areas of the gateway lie four files, of which areas import the configuration alone', () => {
  const files = globSync('*.*', { cwd: join(ROOT, GATEWAY) })
  expect(files.toSorted()).toEqual(['app.ts', 'config.ts', 'index.ts', 'main.ts'])
  const wrong = importsWithin(GATEWAY).filter(
    ([file, target]) =>
      folderOf(file) !== undefined && folderOf(target) === undefined && target !== 'config.ts',
  )
  expect(wrong).toEqual([])
})

/** The packages that a file and those that it imports load, without our own. */
function packagesOf(entry: string): Set<string> {
  const imports = Map.groupBy(importsOf('gateway'), ({ file }) => file)
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files)
    for (const { specifier } of imports.get(file) ?? [])
      if (specifier.startsWith('.')) files.add(relative(ROOT, resolve(ROOT, dirname(file), specifier)))
      else if (!/^(node:|@prelude\/)/.test(specifier)) packages.add(packageName(specifier))
  return packages
}

test('the packages that draw are loaded by the drawing thread alone', () => {
  const drawing = packagesOf('gateway/src/share/drawing/worker.ts')
  expect([...drawing]).toEqual(expect.arrayContaining(['pdfkit', 'fontkit', '@resvg/resvg-js']))
  const requests = packagesOf('gateway/src/index.ts')
  expect(requests).toContain('fastify')
  expect([...drawing].filter((name) => requests.has(name))).toEqual([])
})

test('connections to the database are opened by the platform alone, which gives them what notices a dead peer', () => {
  const files = globSync('{gateway,services/*,infra}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/{test,tests,testing}/**'],
  })
  const wrong = files.filter(
    (file) =>
      !file.startsWith('services/platform/src/database/') &&
      /^import (?!type\b).* from 'pg'$/m.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('nothing that runs the product imports its tests', () => {
  // the icons are drawn once, by the browser of the tests
  const wrong = importsOf('infra').filter(
    ({ file, specifier }) => !/^infra\/(tests|brand)\//.test(file) && specifier.includes('/tests/'),
  )
  expect(wrong).toEqual([])
})

test('folders that say nothing do not exist', () => {
  const folders = globSync('{gateway,services/*,web,infra}/**/{utils,util,helpers,common,misc,types}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
  expect(folders.filter((folder) => !folder.includes('node_modules'))).toEqual([])
})
