import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSION = '4.32.5'
const HOME = resolve(import.meta.dirname, '../../../../node_modules/.cache', `schemathesis-${VERSION}`)
const COMMAND = join(HOME, 'bin/schemathesis')
const INSTALL_WITHIN_MS = 180_000

/** Installs Schemathesis once; answers why it cannot, or null. Needs python3 with venv, and PyPI the first time. */
export async function installSchemathesis(): Promise<string | null> {
  const done = join(HOME, 'installed')
  if (existsSync(done)) return null
  await rm(HOME, { recursive: true, force: true })
  await mkdir(HOME, { recursive: true })
  const limits = { timeout: INSTALL_WITHIN_MS }
  try {
    await run('python3', ['-m', 'venv', HOME], limits)
  } catch (error) {
    return `python3 with venv is not here: ${lastLine(error)}`
  }
  try {
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `schemathesis==${VERSION}`,
    ]
    await run(join(HOME, 'bin/python'), args, limits)
  } catch (error) {
    return `schemathesis ${VERSION} does not install: ${lastLine(error)}`
  }
  await writeFile(done, VERSION)
  return null
}

function lastLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.trim().split('\n').at(-1) || message
}

export interface Fuzzing {
  readonly web: string
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** By the first segment of a path: ids that exist, for every other request. */
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly seconds: number
  readonly seed: number
  /** Paths that are left out for this caller. */
  readonly exclude: string
  /** Folder for its files. */
  readonly folder: string
}

/** Sends valid and invalid requests, generated from the API document, until the time is over. */
export async function fuzz(fuzzing: Fuzzing): Promise<{ code: number | null; report: string }> {
  const { web, headers, ids, seconds, seed, exclude, folder } = fuzzing
  const args = [
    ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
    ...['run', `${web}/api/openapi.json`, '--url', web],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...['--max-time', String(seconds), '--seed', String(seed)],
    '--exclude-path-regex',
    exclude,
  ]
  const child = spawn(COMMAND, args, {
    cwd: folder,
    env: {
      ...process.env,
      FUZZ_IDS: JSON.stringify(ids),
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: (seconds + 30) * 1000,
  })
  let report = ''
  child.stdout.on('data', (chunk: Buffer) => (report += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (report += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, report }
}
