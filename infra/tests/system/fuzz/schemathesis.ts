import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findFolder } from '../../../native/installed.ts'

export const SCHEMATHESIS_VERSION = '4.32.5'
export const SCHEMATHESIS_FOLDER = `schemathesis-${SCHEMATHESIS_VERSION}`

/** The folder of its packages. Errors: ServerMissing. */
export const findSchemathesis = (): Promise<string> => findFolder(SCHEMATHESIS_FOLDER)

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
  const packages = await findSchemathesis()
  const args = [
    join(packages, 'bin/schemathesis'),
    ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
    ...['run', `${web}/api/openapi.json`, '--url', web],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...['--max-time', String(seconds), '--seed', String(seed)],
    '--exclude-path-regex',
    exclude,
  ]
  const child = spawn('python3', args, {
    cwd: folder,
    env: {
      ...process.env,
      FUZZ_IDS: JSON.stringify(ids),
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      PYTHONPATH: packages,
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
