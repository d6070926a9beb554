import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { SETTINGS } from './settings.ts'

/** `.env` of this checkout, for one way to start: that of containers has `LISTEN`, without which they do not start. */

export const CHECKOUT = dirname(dirname(import.meta.dirname))

type Names = Readonly<Record<string, string>>

/** Empty when there is none. */
export function readDotEnv(): Names {
  const file = join(CHECKOUT, '.env')
  return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Names) : {}
}

export const isOfContainers = ({ LISTEN = '' }: Names): boolean => LISTEN !== ''

/** What the compose files take from `.env`, and what the programs in containers read, a secret by its file. */
function namesOfCompose(): { taken: Set<string>; read: Set<string>; secrets: Set<string> } {
  const text = globSync('docker-compose*.yml', { cwd: CHECKOUT })
    .map((file) => readFileSync(join(CHECKOUT, file), 'utf8'))
    .join('\n')
  const found = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name)
  const taken = found(/\$\{([A-Z_]+)/g)
  return {
    // a name without a value is handed on
    taken: new Set([...taken, ...found(/^ +([A-Z_]+):(?: #.*)?$/gm)]),
    read: new Set([...taken, ...found(/^ +([A-Z_]+?)(?:_FILE)?:/gm)]),
    secrets: new Set(found(/infra\/docker\/secrets\/([\w-]+) /g)),
  }
}

const isSetting = (name: string): boolean => Object.values(SETTINGS).some(({ env }) => env === name)

/** Settings in `.env` that this way to start does not read, a sentence each. `secretFiles`: the names of secrets, by file. */
export function misplaced(dotEnv: Names, secretFiles: Names | null): string[] {
  const { taken, read, secrets } = namesOfCompose()
  const files = Object.entries(secretFiles ?? {})
  return Object.entries(dotEnv).flatMap(([name, value]) => {
    if (value === '') return []
    const setting = [name, name.replace(/_FILE$/, '')].find((one) => isSetting(one) || read.has(one))
    if (setting === undefined) return [] // of somebody else
    if (secretFiles === null)
      return isSetting(setting) ? [] : [`${name} in .env is read by containers, not by make start`]
    if (taken.has(name)) return []
    const file = files.find(([, env]) => env === setting)?.[0] ?? setting.toLowerCase().replaceAll('_', '-')
    const isSecret = secrets.has(file) || file in (secretFiles ?? {})
    const place = isSecret ? `: it belongs into infra/docker/secrets/${file}` : ''
    return [`${name} in .env is not read by containers${place}`]
  })
}
