import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs source text as a module in another process until it prints its first line, or exits. */
export async function otherProcess(
  source: string,
): Promise<{ line: string; child: ChildProcess; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [first] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])
  return {
    line: String(first).trim(),
    child,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
