import { createLogger } from '@prelude/platform'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../native/server-process.ts'
import { readSettings } from '../../embedded/settings.ts'
import { countsFor, startStack } from '../../stack/stack.ts'
import { fulfilling } from './drills/fulfilments.ts'
import { kafka } from './drills/kafka.ts'
import { kills } from './drills/kills.ts'
import { outside } from './drills/outside.ts'
import { postgres } from './drills/postgres.ts'
import { redis } from './drills/redis.ts'
import { rolling } from './drills/rolling.ts'
import { s3 } from './drills/s3.ts'
import { slow } from './drills/slow.ts'
import { checkAll, type Drill, type Scene, settle } from './scene.ts'

/**
 * `make drills [ONLY=word,word]`: faults injected into a stack of its own with two instances of every service,
 * one after the other. Each drill ends with a check of all invariants; the exit code is 1 when a drill failed.
 */

const LIMIT_MS = 6 * 60_000
const ALL: readonly Drill[] = [
  ...rolling,
  ...kills,
  ...fulfilling,
  ...kafka,
  ...redis,
  ...postgres,
  ...s3,
  ...outside,
  ...slow,
]

const words = (process.argv[2] ?? '').toLowerCase().split(',')
const drills = ALL.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)))
if (drills.length === 0) {
  process.stderr.write(`No drill has such a name:\n${ALL.map(({ name }) => `  ${name}`).join('\n')}\n`)
  process.exit(1)
}

interface Outcome {
  readonly name: string
  readonly failure: string | null
  readonly seconds: number
  readonly notes: readonly string[]
}

const dataDir = await mkdtemp(join(tmpdir(), 'prelude-drills-'))
const port = await freePort()
const settings = readSettings({
  PORT: String(port),
  DATA_DIR: dataDir,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
})
const logger = createLogger({ service: 'drills', level: process.env['LOG_LEVEL'] ?? 'silent', pretty: false })
say(`Starting two instances of every service on servers of their own in ${dataDir}…`)
const stack = await startStack({ settings, counts: countsFor(2), withLinks: true, logger })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    say(`Stopping: ${signal}`)
    void stack.stop().then(() => process.exit(1))
  })
const outcomes: Outcome[] = []
try {
  for (const drill of drills) {
    outcomes.push(await outcomeOf(drill))
    report(outcomes.at(-1)!)
    await restore()
  }
} finally {
  await stack.stop()
}
const failed = outcomes.filter(({ failure }) => failure !== null).length
say(`\n${'='.repeat(20)} summary`)
for (const outcome of outcomes) report(outcome)
say(`${outcomes.length - failed} passed, ${failed} failed`)
if (failed === 0) await rm(dataDir, { recursive: true, force: true })
else say(`Logs and data: ${dataDir}`)
process.exit(failed === 0 ? 0 : 1)

async function outcomeOf(drill: Drill): Promise<Outcome> {
  say(`\n${drill.name}`)
  const notes: string[] = []
  const scene: Scene = { stack, note: (text) => void notes.push(text) }
  const began = Date.now()
  const run = async (): Promise<void> => {
    await drill.run(scene)
    await settle(scene)
    notes.push(`${await checkAll(scene)} invariants hold`)
  }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it took longer than ${LIMIT_MS / 60_000} minutes`)),
    LIMIT_MS,
  )
  const failure = await Promise.race([run(), late.promise]).then(
    () => null,
    (error: Error) => error.message,
  )
  clearTimeout(timer)
  return { name: drill.name, failure, seconds: Math.round((Date.now() - began) / 1000), notes }
}

/** Ends all faults: a drill that failed may have left some. */
async function restore(): Promise<void> {
  for (const link of Object.values(stack.links)) await link.heal()
  for (const program of stack.programs) {
    program.thaw()
    await program.start()
  }
}

function report({ name, failure, seconds, notes }: Outcome): void {
  say(`${failure === null ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  for (const note of failure === null ? notes : [...notes, failure]) say(`         ${note}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
