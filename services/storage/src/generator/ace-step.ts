import { audioPath, envelopeOf, loadOf, looksOf, releasedOf } from './answers.ts'
import { askFile, askJson, LIMITS, type Limits, saidBy, type Sent } from './exchange.ts'
import { type Begun, type Generator, type GeneratorRequest, NotConnected } from './port.ts'
import { taskOf } from './task.ts'

interface Options {
  /** An origin. */
  readonly url: string
  readonly key: string | null
  /** Merged into each request. */
  readonly options: Readonly<Record<string, unknown>>
  readonly limits?: Partial<Limits>
}

/** The HTTP API of ACE-Step 1.5's own server. It has no idempotency key: a request without an answer is lost. */
export function aceStep({ url, key, options, limits }: Options): Generator {
  const server = { origin: new URL(url).origin, key, limits: { ...LIMITS, ...limits } }
  const ask = async (sent: Sent, signal: AbortSignal) => {
    const answer = await askJson(server, sent, signal)
    return { ...answer, ...envelopeOf(answer) }
  }
  /** The data of an answer; undefined where there is none that could be used. */
  const data = async (sent: Sent, signal: AbortSignal): Promise<unknown> => {
    try {
      const answer = await ask(sent, signal)
      return answer.isOk ? answer.data : undefined
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  const begin = async (request: GeneratorRequest, signal: AbortSignal): Promise<Begun> => {
    let task: Sent
    try {
      task = await taskOf(request, options)
    } catch {
      return { state: 'failed', error: 'The audio that a part of is made again cannot be read.' }
    }
    try {
      const { status, isOk, data: released, error } = await ask(task, signal)
      if (status === 429 || status === 503) return { state: 'busy', error: 'The generator is busy.' }
      if (status === 502 || status === 504)
        return { state: 'lost', error: unanswered(`${status} of a proxy`) }
      if (!isOk)
        return { state: 'failed', error: `The generator refused it: ${error || `it answered ${status}`}` }
      const begun = releasedOf(released)
      return begun
        ? { state: 'begun', ...begun }
        : { state: 'lost', error: unanswered('an answer without a task') }
    } catch (error) {
      signal.throwIfAborted()
      return error instanceof NotConnected
        ? { state: 'busy', error: `The generator cannot be reached: ${saidBy(error)}.` }
        : { state: 'lost', error: unanswered(saidBy(error)) }
    }
  }

  return {
    begin,
    async look(taskIds, signal) {
      const body = JSON.stringify({ task_id_list: taskIds })
      return looksOf(
        await data({ path: '/query_result', body, contentType: 'application/json' }, signal),
        taskIds,
      )
    },
    async fetch(file, into, signal) {
      try {
        await askFile(server, audioPath(file), into, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof NotConnected) throw error
        throw new Error(`The file was not fetched: ${saidBy(error)}.`, { cause: error })
      }
    },
    load: async (signal) => loadOf(await data({ path: '/v1/stats' }, signal)),
  }
}

const unanswered = (why: string): string => `The generator may have taken it, but did not say so: ${why}.`
