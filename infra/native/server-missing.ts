import { StartError } from '../embedded/start-error.ts'

/** Why a real server cannot be had on this machine, in one sentence: a test says it out loud and is skipped. */
export class ServerMissing extends StartError {
  override readonly name = 'ServerMissing'
}
