import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../errors.ts'
import { kafkaAddress } from '../events/index.ts'

/** One setting: where it is read from, what it means (for .env.example and errors), and how it is parsed. */
export interface Setting<T> {
  readonly env: string
  readonly means: string
  /** Throws with a short reason when the text is not acceptable. */
  readonly parse: (text: string) => T
  /** The inverse of `parse`, where that is not `String`. */
  write?(value: T): string
  /** Absent: the setting is required. */
  readonly fallback?: T
  /** What a first try has instead of a value that only the product's owner can know (`trialValues`). */
  readonly trial?: T
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** A setting that is required, unless it has a fallback. */
export const setting = <T>(
  env: string,
  means: string,
  parse: (text: string) => T,
  fallback?: NoInfer<T>,
): Setting<T> => ({ env, means, parse, ...(fallback !== undefined && { fallback }) })

/** A required setting, and what a first try has instead (`trialValues`). */
export const trialSetting = <T>(
  env: string,
  means: string,
  parse: (text: string) => T,
  trial: NoInfer<T>,
) => ({
  ...setting(env, means, parse),
  trial,
})

/** A setting that may be absent: then it is null. */
export const optional = <T>(env: string, means: string, parse: (text: string) => T): Setting<T | null> => ({
  env,
  means,
  parse,
  fallback: null,
})

/** A value as it is written in an environment; empty: not set. */
export const writeSetting = ({ write = String }: Setting<unknown>, value: unknown): string =>
  value === null || value === undefined ? '' : write(value)

/** What examples have in place of a secret. */
const PLACEHOLDER = 'CHANGE-ME'

export type Values<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

/**
 * Reads all settings at once; one error names every missing or bad variable. An empty variable counts as not set.
 * `NAME_FILE` names a file that holds the value of NAME, and `SETTINGS_DIR` a folder whose files have the names of settings,
 * as secrets are handed to containers.
 */
export function readConfig<S extends Settings>(
  settings: S,
  env: Record<string, string | undefined>,
): Values<S> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = valueOf(setting.env, env)
      if (text.includes(PLACEHOLDER)) throw new Error(`still has the text of the example, ${PLACEHOLDER}`)
      if (text !== '') values[name] = setting.parse(text)
      else if ('fallback' in setting) values[name] = setting.fallback
      else problems.push(`${setting.env} is missing (${setting.means})`)
    } catch (error) {
      problems.push(`${setting.env} ${error instanceof Error ? error.message : 'is not valid'}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(`Bad settings: ${problems.join('; ')}.`)
  return Object.freeze(values) as Values<S>
}

function valueOf(name: string, env: Record<string, string | undefined>): string {
  const { [name]: value = '', [`${name}_FILE`]: own = '', SETTINGS_DIR: folder = '' } = env
  const inFolder = join(folder, name)
  const file = own === '' && folder !== '' && existsSync(inFolder) ? inFolder : own
  if (file === '') return value
  if (value !== '') throw new Error(`and ${own === '' ? inFolder : `${name}_FILE`} are both set`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`has a file that cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

export const text = (value: string): string => value

export const url = (value: string): string => {
  if (!URL.canParse(value)) throw new Error('must be a URL')
  return value
}

export const email = (value: string): string => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error('must be an e-mail address')
  return value
}

/** As `url`; an address of Kafka may name several hosts, and nothing in it may be ignored. */
export const busUrl = (value: string): string => {
  if (/^kafkas?:/.test(value)) kafkaAddress(value)
  else url(value)
  return value
}

export const integer =
  (min: number, max: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!Number.isInteger(number) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }

export const decimal =
  (min: number, max: number) =>
  (value: string): number => {
    const number = Number(value)
    if (value.trim() === '' || !(number >= min && number <= max))
      throw new Error(`must be a number from ${min} to ${max}`)
    return number
  }

export const oneOf =
  <const T extends readonly string[]>(...values: T) =>
  (value: string): T[number] => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

export const onOff = {
  parse: (value: string): boolean => oneOf('on', 'off')(value) === 'on',
  write: (on: boolean): string => (on ? 'on' : 'off'),
}

/** Credits in decimals with at most two of them; the value is hundredths. */
export const credits = {
  parse: (value: string): number => {
    if (!/^\d{1,7}(\.\d{1,2})?$/.test(value))
      throw new Error('must be a number of credits with at most two decimals')
    return Math.round(Number(value) * 100)
  },
  write: (cents: number): string => String(cents / 100),
}
