import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@prelude/platform'
import { type Endpoints, removeEndpoints, writeEndpoints } from '../embedded/endpoints.ts'
import { lockInstance } from '../embedded/instance-lock.ts'
import { type OutsideParties, reachOutsideParties, STAND_IN_OPERATOR } from '../embedded/outside-parties.ts'
import { assertFree } from '../embedded/ports.ts'
import { keptSecrets, type Secrets } from '../embedded/secrets.ts'
import type { Settings } from '../embedded/settings.ts'
import { roleUrl } from '@prelude/platform'
import { prepare } from '../prepare/prepare.ts'
import { type Link, startLink } from './link.ts'
import { type Counts, type Instance, PARTS, restartOneByOne, startParts } from './parts.ts'
import { type ServerName, type Servers, startServers } from './servers.ts'
import type { Supervised } from './supervise.ts'

export interface StackOptions {
  /** `dataDir` holds everything of this stack. */
  readonly settings: Settings
  readonly counts: Counts
  /** Puts a link in front of every server and outside party, so that a drill can break it. */
  readonly withLinks?: boolean
  readonly logger: Logger
}

export interface Stack {
  readonly dataDir: string
  readonly endpoints: Endpoints
  readonly servers: Servers
  readonly instances: readonly Instance[]
  /** Every supervised process, servers before parts. */
  readonly programs: readonly Supervised[]
  /** With `withLinks`: what stands in front of each server and stand-in. */
  readonly links: Readonly<Partial<Record<ServerName | StandInName, Link>>>
  /** To the version that is on disk now: its migrations first, then part by part, while the others serve. */
  update(): Promise<void>
  stop(): Promise<void>
}

export type StandInName = 'identity' | 'checkout' | 'mail'

/** Two gateways and one of everything else, unless more is asked for. */
export const countsFor = (instances: number): Counts => ({
  gateway: Math.max(2, instances),
  songs: instances,
  credits: instances,
  payments: instances,
  notifier: instances,
  storage: 1,
})

/**
 * The product on real servers without containers: every part its own process, gateways behind one port. What was
 * started is stopped again when a later step fails. Errors: StartError, ServerMissing.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { settings, logger, withLinks = false } = options
  const { dataDir } = settings
  const started: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const stopOne of started.splice(0).toReversed())
      await stopOne().catch((error: Error) => logger.error({ err: error }, 'did not stop cleanly'))
  }
  try {
    const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
    started.push(async () => lock.release())
    await assertFree(settings.port, '127.0.0.1')
    const secrets = await keptSecrets(dataDir)
    const servers = await startServers(dataDir, { secrets, withLinks, logger })
    started.push(() => all(Object.values(servers.programs), (program) => program.stop()))
    started.push(() => all(Object.values(servers.links), (link) => link.close()))
    await prepareServers(servers, secrets, logger)

    const reached = await reachOutsideParties(settings, secrets, logger)
    started.push(() => reached.stop())
    const { outside, links } = withLinks ? await linked(reached) : { outside: reached, links: {} }
    started.push(() => all(Object.values(links), (link) => link.close()))

    const { instances, stop: stopParts } = await startParts({
      dir: dataDir,
      counts: options.counts,
      publicPort: settings.port,
      around: { settings, secrets, outside, servers },
      logger,
    })
    started.push(stopParts)
    const endpoints = endpointsOf(settings, outside, instances)
    // for commands that look into what runs
    const addresses = join(dataDir, 'servers.json')
    const { busUrl, kvUrl, blobsUrl } = servers
    await writeFile(addresses, JSON.stringify({ busUrl, kvUrl, blobsUrl }), { mode: 0o600 })
    started.push(() => rm(addresses))
    await writeEndpoints(dataDir, endpoints)
    started.push(() => removeEndpoints(dataDir))
    const programs = [...Object.values(servers.programs), ...instances.map(({ program }) => program)]
    const update = async (): Promise<void> => {
      await prepareServers(servers, secrets, logger)
      for await (const restarted of restartOneByOne(instances)) logger.info(restarted, 'restarted')
    }
    return {
      dataDir,
      endpoints,
      servers,
      instances,
      programs,
      links: { ...servers.links, ...links },
      update,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const all = async <T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> =>
  void (await Promise.all(things.map(work)))

/** Schemas, roles and topics. */
export async function prepareServers(servers: Servers, secrets: Secrets, logger: Logger): Promise<void> {
  const { adminUrl, busUrl, kvUrl } = servers
  const schemas = PARTS
  const databaseUrls = Object.fromEntries(
    schemas.map((schema) => [schema, roleUrl(adminUrl, schema, secrets.databaseRoles)]),
  )
  await prepare({ adminUrl, busUrl, kvUrl, databaseUrls }, logger)
}

/** The stand-ins, each behind a link; browsers and tests still reach them directly. */
async function linked(
  outside: OutsideParties,
): Promise<{ outside: OutsideParties; links: Record<StandInName, Link> }> {
  const { oidc, stripe } = outside
  const inFrontOf = (url: string): Promise<Link> => startLink([{ port: Number(new URL(url).port) }])
  const links = {
    identity: await inFrontOf(oidc.issuer),
    checkout: await inFrontOf(stripe.apiUrl ?? ''),
    mail: await inFrontOf(outside.smtpUrl),
  }
  const via = (url: string, { port }: Link): string => {
    const moved = new URL(url)
    moved.port = String(port)
    return moved.href
  }
  return {
    links,
    outside: {
      ...outside,
      oidc: { ...oidc, issuer: via(oidc.issuer, links.identity), publicIssuer: oidc.issuer },
      stripe: { ...stripe, apiUrl: via(stripe.apiUrl ?? '', links.checkout) },
      smtpUrl: via(outside.smtpUrl, links.mail),
    },
  }
}

function endpointsOf(settings: Settings, outside: OutsideParties, instances: readonly Instance[]): Endpoints {
  return {
    web: settings.publicUrl,
    ...outside.standIns,
    gateways: instances.flatMap(({ publicPort }) =>
      publicPort === null ? [] : [`http://127.0.0.1:${publicPort}`],
    ),
    health: Object.fromEntries(
      instances.toReversed().flatMap(({ part, program, address }) => [
        [program.name, address],
        [part, address],
      ]),
    ),
    operator: {
      email: outside.standIns.identity ? STAND_IN_OPERATOR : '',
      password: outside.operatorPassword,
    },
    pid: process.pid,
  }
}
