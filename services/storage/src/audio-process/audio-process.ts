import { type ChildProcess, fork } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Waveform } from '@prelude/contracts'
import { AppError, Unavailable } from '@prelude/platform'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { AnalysisResult, AnalysisTask } from '../analysis/analyze-file.ts'
import type { Flaw } from '../domain/audio/bytes.ts'
import { type Format, formatNamed } from '../domain/audio/format.ts'
import type { Judgement } from '../judge-audio.ts'

const START_LIMIT_MS = 60_000
/** From when the process is ready: a start may take seconds on a busy machine. */
const JUDGE_LIMIT_MS = 20_000
const ANALYSIS_LIMIT_MS = 2 * 60 * 1000
/** A process without work is ended: it holds about 50 MB. */
const IDLE_MS = 30_000
const ROOT = resolve(import.meta.dirname, '../../../..')
/** It may read its own source and the files of this folder, but neither write files nor start programs. */
function execArgv(folder: string): string[] {
  const packages = join(ROOT, 'node_modules')
  // a copy of a checkout may have links to the packages of the other
  const linked = dirname(realpathSync(join(packages, 'mpg123-decoder')))
  const readable = new Set([packages, linked, join(ROOT, 'services'), resolve(folder)])
  return ['--permission', '--allow-worker', ...[...readable].map((path) => `--allow-fs-read=${path}/*`)]
}

/** What it may answer: a file that has taken it over can make it answer anything. */
const ANSWERS = {
  judge: Type.Union([
    Type.Object({ flaw: Type.String({ maxLength: 1000 }) }),
    Type.Object({
      format: Type.String(),
      durationMs: Type.Integer({ minimum: 0 }),
      bitrate: Type.Integer({ minimum: 0 }),
      channels: Type.Integer({ minimum: 1 }),
    }),
  ]),
  analyze: Type.Object({
    peaks: Type.Array(Waveform.properties.peaks.items, { maxItems: 1000 }),
    loudnessLufs: Waveform.properties.loudnessLufs,
  }),
}

export type Task =
  | { readonly kind: 'judge'; readonly file: string }
  | ({ readonly kind: 'analyze' } & AnalysisTask)
export type Done = Judgement | Flaw | AnalysisResult
/** What the process sends: that it waits for its first task, and answers. */
export type Sent = 'ready' | Answer
/** `isSpent`: it holds much memory after this task, so that the next one gets a new process. */
export type Answer = { readonly done?: Done; readonly error?: string; readonly isSpent: boolean }

export interface JudgedAudio extends Omit<Judgement, 'format'> {
  readonly format: Format
}

/** What a person can do about a file that is refused. */
const EXPORT = 'Export it as MP3, FLAC, WAV of 16 or 24 bits, or M4A with AAC.'

/** Those that have said so: a file cannot say it again, for more time. */
const ready = new WeakSet<ChildProcess>()

/** The file took the process beyond its memory or time, or made it crash. */
class FileTooHeavy extends Error {
  override readonly name = 'FileTooHeavy'
}

/**
 * Reads audio files of strangers in a process of its own, one file at a time: without our environment and other files, with
 * limits of memory and time. A thread would not do: its limits count neither WebAssembly nor ArrayBuffers, and V8 ends the whole process
 * when one of its larger allocations fails.
 */
export interface AudioProcess {
  /** Errors: not_audio; its detail says why. */
  judge(file: string): Promise<JudgedAudio>
  /** Errors: FileTooHeavy, the decoder's, the signal's. */
  analyze(task: AnalysisTask, signal: AbortSignal): Promise<AnalysisResult>
  close(): void
}

interface Options {
  /** Of the files that it reads. */
  readonly folder: string
  /** As for `os.setPriority`. */
  readonly niceness?: number
  readonly judgeLimitMs?: number
  readonly program?: URL
}

export function createAudioProcess({
  folder,
  niceness = 0,
  judgeLimitMs = JUDGE_LIMIT_MS,
  program = new URL('./process.ts', import.meta.url),
}: Options): AudioProcess {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const closed = new AbortController()

  const end = (): void => {
    clearTimeout(idle)
    child?.kill('SIGKILL') // it ignores the signals that a terminal sends to all processes
    child = undefined
  }

  const begin = (): ChildProcess => {
    const started = start(program, folder, niceness)
    started.once('exit', () => {
      if (child === started) child = undefined // somebody killed it while it was idle
    })
    return started
  }

  const perform = async (task: Task, limitMs: number, signal: AbortSignal): Promise<Done> => {
    clearTimeout(idle)
    signal.throwIfAborted()
    const working = (child ??= begin())
    try {
      const answer = await ask(working, task, limitMs, signal)
      const { done, error = 'the audio process gave no possible answer' } = answer
      if (!Value.Check(ANSWERS[task.kind], done)) throw new Error(error)
      if (answer.isSpent) end()
      else idle = setTimeout(end, IDLE_MS).unref()
      return done
    } catch (error) {
      end()
      throw error
    }
  }

  const run = (task: Task, limitMs: number, signal?: AbortSignal): Promise<Done> => {
    const either = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal
    const done = last.then(() => perform(task, limitMs, either))
    last = done.catch(() => {})
    return done
  }

  return {
    judge: async (file) => {
      const verdict = (await run({ kind: 'judge', file }, judgeLimitMs).catch((error: unknown) => {
        throw error instanceof FileTooHeavy ? new AppError('not_audio', { cause: error }) : error
      })) as Judgement | Flaw
      if ('flaw' in verdict)
        throw new AppError('not_audio', {
          detail: `${verdict.flaw} ${EXPORT}`,
          cause: new Error(verdict.flaw),
        })
      const format = formatNamed(verdict.format)
      if (!format) throw new Error('the audio process named no format')
      return { ...verdict, format }
    },
    analyze: async (task, signal) =>
      (await run({ kind: 'analyze', ...task }, ANALYSIS_LIMIT_MS, signal)) as AnalysisResult,
    close: () => {
      closed.abort(new Error('storage stops'))
      end()
    },
  }
}

function start(program: URL, folder: string, niceness: number): ChildProcess {
  const child = fork(program, [String(niceness)], {
    execArgv: execArgv(folder),
    cwd: folder, // Node lets a thread of it read the working directory
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // decoders print lines for each frame that they refuse
  })
  child.on('error', () => {}) // also between two tasks
  child.unref()
  child.channel?.unref()
  return child
}

async function ask(child: ChildProcess, task: Task, limitMs: number, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const onExit = (code: number | null, killedBy: string | null) =>
    reject(
      killedBy === null
        ? new Error(`the audio process ended with ${code}`)
        : new FileTooHeavy(`${killedBy} ended the process that read it`),
    )
  const onAbort = () => reject(signal.reason as Error)
  const limit = () => setTimeout(() => reject(new FileTooHeavy(`reading it took ${limitMs} ms`)), limitMs)
  const onLateStart = () => reject(new Unavailable('the audio process', `no start in ${START_LIMIT_MS} ms`))
  let timer = ready.has(child) ? limit() : setTimeout(onLateStart, START_LIMIT_MS)
  const onMessage = (sent: Sent) => {
    if (sent !== 'ready') return resolve(sent)
    if (ready.has(child)) return
    ready.add(child)
    clearTimeout(timer)
    timer = limit()
  }
  child.on('message', onMessage).once('exit', onExit).once('error', reject)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    child.send(task)
    return await promise
  } finally {
    clearTimeout(timer)
    child.off('message', onMessage).off('exit', onExit).off('error', reject)
    signal.removeEventListener('abort', onAbort)
  }
}
