import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { peopleApi } from '@prelude/contracts'
import {
  AppError,
  client,
  createIdentity,
  httpCalls,
  identitiesFrom,
  type Identity,
  integer,
  optional,
  readConfig,
  readPublicKeys,
  readReply,
  systemClock,
  text,
  url,
} from '@prelude/platform'
import type { Endpoints } from '../embedded/endpoints.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { command, dataFolder, given, say, worksOn } from './command.ts'

/**
 * The running gateway executes these commands and records them in the audit; it is found by DATA_DIR, or by GATEWAY_URL with INTERNAL_SECRET and INTERNAL_PUBLIC_KEYS of the
 * gateway (inside its own container INTERNAL_PORT is enough).
 */
const SETTINGS = {
  gatewayUrl: optional('GATEWAY_URL', 'internal address of the gateway', url),
  internalPort: optional('INTERNAL_PORT', 'the internal port, in its container', integer(1, 65_535)),
  internalSecret: optional('INTERNAL_SECRET', "the gateway's own", text),
  publicKeys: optional('INTERNAL_PUBLIC_KEYS', 'public keys of all services', readPublicKeys),
}

const EXPORT_WITHIN_MS = 60_000

const PERSON = { email: { type: 'string' }, uid: { type: 'string' } } as const

type People = ReturnType<typeof client<typeof peopleApi>>

/** Errors: StartError with the sentence of the gateway's refusal. */
async function atGateway(
  work: (people: People, calls: ReturnType<typeof httpCalls>) => Promise<string | null>,
): Promise<boolean> {
  const [addresses, identity] = await gateway()
  const calls = httpCalls(addresses, identity, systemClock)
  try {
    const done = await work(client(calls, 'gateway', peopleApi), calls)
    if (done !== null) say(done)
    return true
  } catch (error) {
    throw error instanceof AppError ? new StartError(error.detail) : error
  }
}

const uidOf = async (
  people: People,
  { email, uid }: { email?: string | undefined; uid?: string | undefined },
): Promise<string> =>
  uid ?? (await people.find({ query: { email: given(email, '--email=… or --uid=…') } })).uid

const clearUnlockLimit = command(
  'Let the operator unlock again at once after too many wrong admin passwords',
  {},
  () =>
    atGateway(async (people) => {
      await people.clearUnlockLimit({})
      return 'Wrong admin passwords are forgotten: the right one unlocks again.'
    }),
)

const closeAccount = command(
  "Close a person's account for good, at their wish",
  { ...PERSON, reason: { type: 'string' } },
  (values) =>
    atGateway(async (people) => {
      const uid = await uidOf(people, values)
      await people.close({ params: { uid }, body: { reason: given(values.reason, '--reason=…') } })
      return `The account ${uid} is closed. Every service erases its data within seconds.`
    }),
)

const exportPerson = command(
  'Everything that is kept of a person, as a ZIP; --to=- writes it to stdout',
  { ...PERSON, to: { type: 'string' } },
  (values) =>
    atGateway(async (people, calls) => {
      const uid = await uidOf(people, values)
      const to = values.to ?? `${uid}.zip`
      const path = `/people/${encodeURIComponent(uid)}/export`
      const answer = await calls.call('gateway', { method: 'GET', path, timeoutMs: EXPORT_WITHIN_MS })
      if (answer.status !== 200) await readReply('gateway', answer)
      if (to === '-') {
        await pipeline(answer.body, process.stdout, { end: false })
        return null
      }
      await pipeline(answer.body, createWriteStream(to, { mode: 0o600, flags: 'wx' })).catch(
        async (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') throw new StartError(`${to} exists already.`)
          await rm(to, { force: true }) // half an archive must not look like one
          throw error
        },
      )
      return `All data about ${uid} is in ${to}. Give it to that person only.`
    }),
)

export const people = {
  'export-person': exportPerson,
  'close-account': closeAccount,
  'clear-unlock-limit': clearUnlockLimit,
}

/** The gateway's internal address, and its identity, since it accepts these calls from itself alone. */
async function gateway(): Promise<[addresses: { gateway: string }, identity: Identity]> {
  const { gatewayUrl, internalPort, internalSecret, publicKeys } = readConfig(SETTINGS, process.env)
  const elsewhere = gatewayUrl ?? (internalPort === null ? null : `http://127.0.0.1:${internalPort}`)
  if (elsewhere !== null && internalSecret !== null && publicKeys !== null) {
    worksOn(`the gateway at ${elsewhere}`)
    return [{ gateway: elsewhere }, createIdentity('gateway', internalSecret, publicKeys)]
  }
  const dataDir = dataFolder()
  const settings = readSettings(process.env)
  const endpoints = await readFile(join(dataDir, 'endpoints.json'), 'utf8').catch(() => {
    throw new StartError(`Nothing runs in ${dataDir}: start it first.`)
  })
  const { health } = JSON.parse(endpoints) as Endpoints
  const [, address] = Object.entries(health).find(([name]) => /^gateway\b/.test(name)) ?? []
  if (address === undefined) throw new StartError('The gateway does not run.')
  worksOn(`${dataDir}, running`)
  return [{ gateway: address }, identitiesFrom((await keptSecrets(dataDir, settings)).internal)('gateway')]
}
