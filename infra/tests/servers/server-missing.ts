import { StartError } from '../../embedded/start-error.ts'

/** A real server is not available on this machine, for a reason in one sentence: tests that need it print it and are skipped. */
export class ServerMissing extends StartError {
  override readonly name = 'ServerMissing'
}
