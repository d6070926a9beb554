import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { readConfig, url } from '@prelude/platform'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { isOfContainers, readDotEnv } from '../embedded/dot-env.ts'
import { withDatabase } from '../embedded/with-database.ts'
import type { Moved } from '../move/move.ts'

/** Exit code of a backup or restore that is complete, of data in which something is wrong. */
export const WITH_FINDINGS = 3
type Outcome = boolean | typeof WITH_FINDINGS

/** One of `prelude <command>`. */
export interface Command {
  readonly summary: string
  /** Without the dashes. */
  readonly options: readonly string[]
  /** Answers whether all is well, or the exit code. Errors: StartError, ConfigError with a sentence for people. */
  run(args: readonly string[]): Promise<Outcome>
}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values']

/** A command and its options. An empty option counts as absent, since make passes all of them. */
export const command = <O extends ParseArgsOptionsConfig>(
  summary: string,
  options: O,
  run: (values: Values<O>) => Promise<Outcome>,
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

/** Lists what a copy left out and what is wrong with its data; answers the outcome of the command. */
export function sayFindings({ findings, leftOut }: Pick<Moved, 'findings' | 'leftOut'>): Outcome {
  if (leftOut.length > 0) say(`Of a later version, and therefore left out: ${leftOut.join(', ')}.`)
  if (findings.length === 0) return true
  say(`The data is copied as it is, but not sound: ${findings.length} findings.`)
  for (const one of findings) say(`  ${one}`)
  return WITH_FINDINGS
}

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

/** Said first, and apart from the results: a command that looks at the wrong data must not look right. */
export const worksOn = (what: string): void => void process.stderr.write(`Works on ${what}.\n`)

/** A command of this checkout as containers type it; their folders are not those of this machine. */
function inContainers(args: readonly string[]): string {
  const [name = ''] = args
  if (name === 'backup') return 'run --rm backup prelude backup --in=/backups'
  if (name === 'restore')
    return 'run --rm -v prelude_backups:/backups prepare prelude restore --from=/backups/…'
  const given = args.filter((arg) => !/^--[\w-]+=$/.test(arg)).join(' ')
  const isAtGateway = ['export-person', 'close-account', 'clear-unlock-limit'].includes(name)
  return isAtGateway
    ? `exec -T gateway prelude ${given.replace(/--to=(\S+)/, '--to=- > $1')}`
    : `run --rm prepare prelude ${given}`
}

/**
 * The data folder of `make start`. Errors: StartError with the right command where containers are set up in this checkout,
 * whose data `./data` is not, unless DATA_DIR says which folder is meant.
 */
export function dataFolder(
  env: Record<string, string | undefined> = process.env,
  dotEnv = readDotEnv(),
  args: readonly string[] = process.argv.slice(2),
): string {
  const { dataDir } = readSettings(env)
  if (env['DATA_DIR'] || !isOfContainers(dotEnv)) return dataDir
  throw new StartError(
    `This checkout has the .env of containers, whose data is not in ${dataDir}. For theirs: docker compose ${inContainers(args)}. For that folder: set DATA_DIR.`,
  )
}

/** Runs `work` on the database of DATA_DIR, or on the one that DATABASE_ADMIN_URL names, as its owner. */
export function onDatabase<T>(work: (adminUrl: string, dataDir: string) => Promise<T>): Promise<T> {
  const { adminUrl } = readConfig(SERVER, process.env)
  const dataDir = adminUrl === undefined ? dataFolder() : readSettings(process.env).dataDir
  return withDatabase({ dataDir, adminUrl, worksOn }, (at) => work(at, dataDir))
}
