import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sendSignal } from '../../native/server-process.ts'
import { must, until } from './scene.ts'

const ATTEMPT = resolve(import.meta.dirname, '../../../services/platform/src/events/attempt.ts')
const CALL_SITE = 'const subscriber = first && subscribers.get(first.type)'
const HANG = `{ const one = first && subscribers.get(first.type); if (one) one.handle = () => new Promise(() => {}) }`
const LISTENS_WITHIN_MS = 10_000

/**
 * Simulates a fault in a service's code: from now on none of its handlers returns. It runs code by the debugger, in the
 * condition of a breakpoint at which the process never stops. The returned function disconnects the debugger; the fault stays.
 */
export async function hangHandlers(pid: number | null, logFile: string): Promise<() => void> {
  sendSignal(pid, 'SIGUSR1')
  let url = ''
  await until('the debugger', LISTENS_WITHIN_MS, async () => {
    url = /.*Debugger listening on (ws:\S+)/s.exec(await readFile(logFile, 'utf8'))?.[1] ?? ''
    return url ? null : 'it does not listen'
  })
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const ask = async (id: number, method: string, params = {}): Promise<void> => {
    const answered = new Promise<{ error?: { message: string } }>((done) => {
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as { id?: number; error?: { message: string } }
        if (answer.id === id) done(answer)
      })
    })
    socket.send(JSON.stringify({ id, method, params }))
    const { error } = await answered
    must(!error, `${method}: ${error?.message}`)
  }
  const lines = (await readFile(ATTEMPT, 'utf8')).split('\n')
  const lineNumber = lines.findIndex((line) => line.includes(CALL_SITE))
  must(lineNumber > 0, 'handlers are called from elsewhere now')
  await ask(1, 'Debugger.enable')
  await ask(2, 'Debugger.setBreakpointByUrl', {
    urlRegex: '.*/events/attempt\\.ts$',
    lineNumber,
    condition: `(() => ${HANG})()`,
  })
  return () => socket.close()
}
