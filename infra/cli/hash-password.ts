import { text } from 'node:stream/consumers'
import { hashPassword as hash, operatorPassword } from '@prelude/gateway'
import { StartError } from '../embedded/start-error.ts'
import { command, say } from './command.ts'

export const hashPassword = command(
  'Print OPERATOR_PASSWORD_HASH for the password in the first line of stdin',
  {},
  async () => {
    const [line = ''] = (await text(process.stdin)).split(/\r?\n/)
    try {
      say(await hash(operatorPassword(line)))
      return true
    } catch (error) {
      throw new StartError(`The password ${(error as Error).message}.`)
    }
  },
)
