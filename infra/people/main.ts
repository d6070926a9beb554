import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { peopleApi } from '@prelude/contracts'
import {
  AppError,
  client,
  createIdentity,
  httpCalls,
  identitiesFrom,
  type Identity,
  integer,
  readConfig,
  readPublicKeys,
  readReply,
  text,
  url,
} from '@prelude/platform'
import type { Endpoints } from '../embedded/endpoints.ts'
import { keptSecrets } from '../embedded/secrets.ts'
import { readSettings } from '../embedded/settings.ts'
import { StartError } from '../embedded/start-error.ts'
import { runCommand } from '../embedded/run-command.ts'

/**
 * `make export-person`, `make close-account` and `make clear-unlock-limit`: the running gateway executes the commands and
 * records them in the audit; it is found by DATA_DIR, or by GATEWAY_URL with INTERNAL_SECRET and INTERNAL_PUBLIC_KEYS of the
 * gateway (inside its own container INTERNAL_PORT is enough).
 */
const SETTINGS = {
  gatewayUrl: { env: 'GATEWAY_URL', means: 'internal address of the gateway', parse: url, fallback: null },
  internalPort: {
    env: 'INTERNAL_PORT',
    means: 'the internal port, in its container',
    parse: integer(1, 65_535),
    fallback: null,
  },
  internalSecret: {
    env: 'INTERNAL_SECRET',
    means: "the gateway's own",
    parse: text,
    fallback: null,
  },
  publicKeys: {
    env: 'INTERNAL_PUBLIC_KEYS',
    means: 'public keys of all services',
    parse: readPublicKeys,
    fallback: null,
  },
}

const EXPORT_WITHIN_MS = 60_000

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      email: { type: 'string', default: '' },
      uid: { type: 'string', default: '' },
      to: { type: 'string', default: '' },
      reason: { type: 'string', default: '' },
    },
  })
  const calls = httpCalls(...(await gateway()))
  const people = client(calls, 'gateway', peopleApi)
  try {
    if (positionals[0] === 'clear-unlock-limit') {
      await people.clearUnlockLimit({})
      return 'Wrong admin passwords are forgotten: the right one unlocks again.'
    }
    const uid =
      values.uid ||
      (await people.find({ query: { email: given(values.email, 'EMAIL=… or PERSON=uid') } })).uid
    if (positionals[0] === 'close') {
      await people.close({ params: { uid }, body: { reason: given(values.reason, 'REASON=…') } })
      return `The account ${uid} is closed. Every service erases its data within seconds.`
    }
    const to = values.to || `${uid}.zip`
    const path = `/people/${encodeURIComponent(uid)}/export`
    const answer = await calls.call('gateway', { method: 'GET', path, timeoutMs: EXPORT_WITHIN_MS })
    if (answer.status !== 200) await readReply('gateway', answer)
    await pipeline(answer.body, createWriteStream(to, { mode: 0o600, flags: 'wx' })).catch(
      async (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw new StartError(`${to} exists already.`)
        await rm(to, { force: true }) // half an archive must not look like one
        throw error
      },
    )
    return `All data about ${uid} is in ${to}. Give it to that person only.`
  } catch (error) {
    throw error instanceof AppError ? new StartError(error.detail) : error
  }
})

/** The gateway's internal address, and its identity, since it accepts these calls from itself alone. */
async function gateway(): Promise<[addresses: { gateway: string }, identity: Identity]> {
  const { gatewayUrl, internalPort, internalSecret, publicKeys } = readConfig(SETTINGS, process.env)
  const elsewhere = gatewayUrl ?? (internalPort === null ? null : `http://127.0.0.1:${internalPort}`)
  if (elsewhere !== null && internalSecret !== null && publicKeys !== null)
    return [{ gateway: elsewhere }, createIdentity('gateway', internalSecret, publicKeys)]
  const settings = readSettings(process.env)
  const { dataDir } = settings
  const endpoints = await readFile(join(dataDir, 'endpoints.json'), 'utf8').catch(() => {
    throw new StartError(`Nothing runs in ${dataDir}: start it first.`)
  })
  const { health } = JSON.parse(endpoints) as Endpoints
  const [, address] = Object.entries(health).find(([name]) => /^gateway\b/.test(name)) ?? []
  if (address === undefined) throw new StartError('The gateway does not run.')
  return [{ gateway: address }, identitiesFrom((await keptSecrets(dataDir, settings)).internal)('gateway')]
}

function given(value: string, what: string): string {
  if (value === '') throw new StartError(`Missing: ${what}`)
  return value
}
