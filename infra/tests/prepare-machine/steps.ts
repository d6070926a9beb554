import { existsSync } from 'node:fs'
import { findHaproxy } from '../servers/haproxy.ts'
import { findFolder, findGoProgram, findProgram, type GoProgram, missing } from '../servers/installed.ts'
import { findJava, findKafka } from '../servers/kafka.ts'
import { findPgbouncer } from '../servers/pgbouncer.ts'
import { findAlertmanager, findPrometheus } from '../servers/prometheus.ts'
import { findRedis } from '../servers/redis.ts'
import { VERSITYGW } from '../servers/s3.ts'
import { STRIPE_MOCK } from '../servers/stripe-mock.ts'
import { findLastRelease } from '../servers/last-release.ts'
import { API_SERVER_FOLDER, KUSTOMIZE } from '../k8s/tools.ts'
import { installApiServer } from './api-server.ts'
import { buildGoProgram } from './cache.ts'
import { installFromDebian } from './debian.ts'
import { installKafka } from './kafka.ts'
import { installLastRelease } from './last-release.ts'

/** Something that tests use and npm does not bring. */
export interface Step {
  readonly name: string
  /** As the tests find it. Errors: ServerMissing. */
  readonly find: () => unknown
  /** Errors: ServerMissing. */
  readonly install: () => Promise<void>
}

const debian = (name: string, find: () => unknown, ...packages: readonly string[]): Step => ({
  name,
  find,
  install: () => installFromDebian(...packages),
})
const program = (name: string, packageName = name): Step => debian(name, () => findProgram(name), packageName)
const go = (one: GoProgram): Step => ({
  name: one.name,
  find: () => findGoProgram(one),
  install: () => buildGoProgram(one),
})
/** A browser, by where Debian and others install it: to run one takes a second. */
const browser = (name: string, ...paths: readonly string[]): Step =>
  debian(
    name,
    () => {
      if (!paths.some((path) => existsSync(path))) throw missing(name)
    },
    name,
  )

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** What the gate needs, in this order: Kafka comes by Maven, versitygw by Go. */
export const GATE: readonly Step[] = [
  browser('chromium', process.env['CHROMIUM_PATH'] ?? '', ...CHROMIUM),
  browser('chromium-headless-shell', process.env['CHROMIUM_PATH'] ?? '', '/usr/bin/chromium-headless-shell'),
  debian('Redis', findRedis, 'redis-server'),
  debian('Java', findJava, 'default-jre-headless'),
  { name: 'Kafka', find: findKafka, install: installKafkaByMaven },
  go(VERSITYGW),
  program('pdftotext', 'poppler-utils'),
]

/** What only the tests of the night need. The container engine is not among it: `docker` has to be there. */
export const NIGHT: readonly Step[] = [
  debian('Prometheus', findPrometheus, 'prometheus'),
  debian('Alertmanager', findAlertmanager, 'prometheus-alertmanager'),
  ...['postgres', 'redis', 'node'].map((name) => program(`prometheus-${name}-exporter`)),
  debian('HAProxy', findHaproxy, 'haproxy'),
  debian('PgBouncer', findPgbouncer, 'pgbouncer'),
  program('ip', 'iproute2'),
  program('unshare', 'util-linux'),
  program('firefox-esr'),
  program('Xvfb', 'xvfb'),
  program('WebKitWebDriver', 'webkit2gtk-driver'),
  program('pulseaudio'),
  go(STRIPE_MOCK),
  go(KUSTOMIZE),
  { name: 'kube-apiserver', find: () => findFolder(API_SERVER_FOLDER), install: installApiServer },
  { name: 'the last release', find: findLastRelease, install: installLastRelease },
]

async function installKafkaByMaven(): Promise<void> {
  try {
    findProgram('mvn')
  } catch {
    await installFromDebian('maven')
  }
  await installKafka()
}
