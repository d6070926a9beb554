import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a module's text in another process until it prints its first line, or ends. */
export async function otherProcess(
  source: string,
): Promise<{ said: string; child: ChildProcess; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [first] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])
  return {
    said: String(first).trim(),
    child,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
