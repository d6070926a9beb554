import { SERVICE_NAMES } from '@prelude/contracts'
import { hashPassword } from '@prelude/gateway'
import { type Logger, roleUrl, startJob, systemClock } from '@prelude/platform'
import { type Endpoints, removeEndpoints, writeEndpoints } from '../embedded/endpoints.ts'
import { lockInstance } from '../embedded/instance-lock.ts'
import { type OutsideParties, reachOutsideParties } from '../embedded/outside-parties.ts'
import { assertFree } from '../embedded/ports.ts'
import { keptSecrets, type Secrets } from '../embedded/secrets.ts'
import type { Settings } from '../embedded/settings.ts'
import { crossCheck } from '../invariants/cross-check.ts'
import { AUDIT_SCHEMA } from '../prepare/audit-role.ts'
import { prepare } from '../prepare/prepare.ts'
import { type Link, startLink } from './link.ts'
import { type Counts, type Instance, restartOneByOne, startServices } from './services.ts'
import { type ServerName, type Servers, startServers } from './servers.ts'
import type { Supervised } from './supervise.ts'

interface StackOptions {
  /** `dataDir` holds all data of this stack. */
  readonly settings: Settings
  readonly counts: Counts
  /** Puts a link in front of every server, stand-in and service, so that a drill can break it. */
  readonly withLinks?: boolean
  readonly logger: Logger
}

export interface Stack {
  readonly dataDir: string
  readonly endpoints: Endpoints
  readonly servers: Servers
  readonly instances: readonly Instance[]
  /** Every supervised process, servers before services. */
  readonly programs: readonly Supervised[]
  /** With `withLinks`: the link in front of each server and stand-in. */
  readonly links: Readonly<Partial<Record<ServerName | StandInName, Link>>>
  /** The load balancers between services; with `withLinks` there is one in front of every service. */
  readonly between: readonly Link[]
  /** Rolling update to the version that is on disk: migrations first, then one instance after the other. */
  update(): Promise<void>
  stop(): Promise<void>
}

export type StandInName = 'identity' | 'checkout' | 'mail'

/** Instances of each service: at least two gateways. */
export const countsFor = (instances: number): Counts => ({
  gateway: Math.max(2, instances),
  songs: instances,
  credits: instances,
  payments: instances,
  storage: instances,
  notifier: instances,
})

/**
 * Starts the product on real servers without containers: every service as its own process, gateways behind one port. A
 * step that fails stops all that was started before. Errors: StartError, ServerMissing.
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
    const secrets = await keptSecrets(dataDir, settings)
    const servers = await startServers(dataDir, { withLinks, logger })
    started.push(() => all(Object.values(servers.programs), (program) => program.stop()))
    started.push(() => all(Object.values(servers.links), (link) => link.close()))
    await prepareServers(servers, secrets, logger)

    const reached = await reachOutsideParties({
      settings,
      secrets,
      clock: systemClock,
      logger,
      hash: hashPassword,
    })
    started.push(() => reached.stop())
    const { outside, links } = withLinks ? await linked(reached) : { outside: reached, links: {} }
    started.push(() => all(Object.values(links), (link) => link.close()))

    const services = await startServices({
      dir: dataDir,
      counts: options.counts,
      publicPort: settings.port,
      withLinks,
      context: { settings, secrets, outside, servers },
      logger,
    })
    started.push(services.stop)
    const { instances } = services
    const auditing = startJob(
      crossCheck({ url: auditUrlOf(servers, secrets), clock: systemClock, logger }),
      systemClock,
      logger,
    )
    started.push(() => auditing.stop())
    const endpoints = endpointsOf(settings, outside, instances)
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
      between: services.links,
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

export const auditUrlOf = ({ adminUrl }: Servers, { databaseRoles }: Secrets): string =>
  roleUrl(adminUrl, AUDIT_SCHEMA, databaseRoles)

/** Prepares schemas, roles and topics. */
export async function prepareServers(servers: Servers, secrets: Secrets, logger: Logger): Promise<void> {
  const { adminUrl, busUrl, kvUrl } = servers
  const databaseUrls = Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, roleUrl(adminUrl, name, secrets.databaseRoles)]),
  )
  await prepare({ adminUrl, busUrl, kvUrl, auditUrl: auditUrlOf(servers, secrets), databaseUrls }, logger)
}

/** Puts each stand-in behind a link for the services; browsers and tests still connect to it directly. */
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
    const linkedUrl = new URL(url)
    linkedUrl.port = String(port)
    return linkedUrl.href
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
      instances.toReversed().flatMap(({ service, program, address }) => [
        [program.name, address],
        [service, address],
      ]),
    ),
    operator: outside.operator,
    pid: process.pid,
  }
}
