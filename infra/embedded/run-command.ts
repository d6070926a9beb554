import { ConfigError } from '@prelude/platform'
import { StartError } from './start-error.ts'

/** Runs a command, prints its result or its error in one sentence, and exits with 0 or 1. */
export async function runCommand(command: () => Promise<string>): Promise<never> {
  try {
    process.stdout.write(`${await command()}\n`)
    process.exit(0)
  } catch (error) {
    const isExpected = error instanceof StartError || error instanceof ConfigError
    process.stderr.write(`${isExpected ? (error as Error).message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}
