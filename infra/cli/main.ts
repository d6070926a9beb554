import { ConfigError } from '@prelude/platform'
import { StartError } from '../embedded/start-error.ts'
import { type Command, say } from './command.ts'

/** `prelude <command>`: everything that administrators run by hand, from a checkout by make, in a container and in a pod. */

const load = async (): Promise<Readonly<Record<string, Command>>> => ({
  'check-invariants': (await import('./check-invariants.ts')).checkInvariants,
  'find-missed': (await import('./find-missed.ts')).findMissed,
  replay: (await import('./replay.ts')).replay,
  republish: (await import('./republish.ts')).republish,
  ...(await import('./people.ts')).people,
  'hash-password': (await import('./hash-password.ts')).hashPassword,
  'after-recovery': (await import('./after-recovery.ts')).afterRecovery,
  backup: (await import('./backup.ts')).backup,
  restore: (await import('./restore.ts')).restore,
  move: (await import('./move.ts')).move,
})

try {
  const [name = 'help', ...args] = process.argv.slice(2)
  const commands = await load()
  const chosen = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (chosen === undefined) {
    const lines = Object.entries(commands).map(
      ([title, { summary, options }]) =>
        `  ${title.padEnd(20)} ${summary}${options.map((option) => ` [--${option}]`).join('')}`,
    )
    say(`prelude <command> [options]\n${lines.join('\n')}`)
  }
  const outcome = chosen ? await chosen.run(args) : name === 'help'
  process.exit(typeof outcome === 'number' ? outcome : outcome ? 0 : 1)
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError
  process.stderr.write(`${isExpected ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
