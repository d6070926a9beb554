import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { readConfig, url } from '@prelude/platform'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { withDatabase } from '../embedded/with-database.ts'

/** One of `prelude <command>`. */
export interface Command {
  readonly summary: string
  /** Without the dashes. */
  readonly options: readonly string[]
  /** Answers whether all is well, for the exit code. Errors: StartError, ConfigError with a sentence for people. */
  run(args: readonly string[]): Promise<boolean>
}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values']

/** A command and its options. An empty option counts as absent, since make passes all of them. */
export const command = <O extends ParseArgsOptionsConfig>(
  summary: string,
  options: O,
  run: (values: Values<O>) => Promise<boolean>,
): Command => ({
  summary,
  options: Object.keys(options),
  run: (args) => {
    const present = args.filter((arg) => !/^--[\w-]+=$/.test(arg))
    try {
      return run(parseArgs({ args: present, options }).values)
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      throw code.startsWith('ERR_PARSE_ARGS') ? new StartError(message) : error
    }
  },
})

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Errors: StartError, which names what is missing. */
export function given(value: string | undefined, what: string): string {
  if (value === undefined) throw new StartError(`Missing: ${what}`)
  return value
}

const SERVER = {
  adminUrl: {
    env: 'DATABASE_ADMIN_URL',
    means: 'owner of a database elsewhere',
    parse: url,
    fallback: undefined,
  },
}

/** Runs `work` on the database of DATA_DIR, or on the one that DATABASE_ADMIN_URL names, as its owner. */
export function onDatabase<T>(work: (adminUrl: string, dataDir: string) => Promise<T>): Promise<T> {
  const { dataDir } = readSettings(process.env)
  const { adminUrl } = readConfig(SERVER, process.env)
  return withDatabase({ dataDir, adminUrl }, (at) => work(at, dataDir))
}
