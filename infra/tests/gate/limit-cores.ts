import { availableParallelism } from 'node:os'
import { limitTo } from '../bench/cpu-share.ts'

/** Gives this process and what it starts so many cores, so that a race in a test shows. Says so where that is not possible. */
export async function limitCores(name: string, cores: number): Promise<() => Promise<void>> {
  try {
    const share = await limitTo(name, process.pid, cores)
    process.stdout.write(`with ${cores} of ${availableParallelism()} cores\n`)
    return () => share.end()
  } catch (error) {
    process.stdout.write(`with all cores, since they cannot be limited here: ${String(error)}\n`)
    return async () => {}
  }
}
