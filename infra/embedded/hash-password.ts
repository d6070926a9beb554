import { text } from 'node:stream/consumers'
import { hashPassword, operatorPassword } from '@prelude/gateway'
import { runCommand } from './run-command.ts'
import { StartError } from './start-error.ts'

/** `node infra/embedded/hash-password.ts < file`: prints OPERATOR_PASSWORD_HASH for the password in the file's first line. */
await runCommand(async () => {
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/)
  try {
    return await hashPassword(operatorPassword(line))
  } catch (error) {
    throw new StartError(`The password ${(error as Error).message}.`)
  }
})
