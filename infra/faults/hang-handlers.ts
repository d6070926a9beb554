import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { must, until } from './scene.ts'

const CONSUMER = resolve(import.meta.dirname, '../../services/platform/src/events/consumer.ts')
const PLACE = 'const subscriber = first && subscribers.get(first.type)'
const HANG = `{ const one = first && subscribers.get(first.type); if (one) one.handle = () => new Promise(() => {}) }`
const PATIENCE_MS = 10_000

/**
 * As a fault in a part's own code would: from now on none of its handlers comes to an end. Done by the debugger, in whose
 * condition of a breakpoint any code may stand; the process never stops at it. The answer lets go of the process, which
 * stays as it is.
 */
export async function hangHandlers(pid: number, logFile: string): Promise<() => void> {
  process.kill(pid, 'SIGUSR1')
  let url = ''
  await until('the debugger', PATIENCE_MS, async () => {
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
  const lines = (await readFile(CONSUMER, 'utf8')).split('\n')
  const lineNumber = lines.findIndex((line) => line.includes(PLACE))
  must(lineNumber > 0, 'handlers are called from elsewhere now')
  await ask(1, 'Debugger.enable')
  await ask(2, 'Debugger.setBreakpointByUrl', {
    urlRegex: '.*/events/consumer\\.ts$',
    lineNumber,
    condition: `(() => ${HANG})()`,
  })
  return () => socket.close()
}
