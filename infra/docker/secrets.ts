import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@prelude/contracts'
import { hashPassword, operatorPassword } from '@prelude/gateway'
import { publicKeyOf } from '@prelude/platform'
import { AUDIT_SCHEMA } from '../prepare/audit-role.ts'
import { MONITOR_SCHEMA } from '../prepare/monitor-role.ts'
import { SERVICE_SCHEMAS } from '../prepare/schemas.ts'
import { certificateIn, selfSigned } from './certificate.ts'
import { roleOf } from '@prelude/platform/migrate'

/** By file name. */
export type Secrets = Readonly<Record<string, string>>

const random = (): string => randomBytes(24).toString('base64url')

/** The containers' own network does not leave the machine. */
const databaseUrl = (role: string, password: string): string =>
  `postgres://${role}:${password}@postgres:5432/prelude?sslmode=disable`

/** When it is full Redis refuses writes; of the container's memory it leaves enough to rewrite its file. */
const REDIS_MEMORY = '256mb'

/** What the exporter calls; CONFIG GET would give it the password of all, SLOWLOG GET the ids of sessions. */
const MONITOR_RIGHTS = '-@all +ping +info +slowlog|len +latency|latest +client|setname'

const redisConf = (password: string, monitorPassword: string): string =>
  [`requirepass ${password}`, 'protected-mode yes', 'appendonly yes', 'appendfsync everysec', 'save ""']
    .concat(`maxmemory ${REDIS_MEMORY}`, 'maxmemory-policy noeviction', 'dir /data')
    .concat(`user monitor on >${monitorPassword} ${MONITOR_RIGHTS}`)
    .join('\n')

/** Users of the broker, by who has the address: access rules of `prepare` say what each service may do. */
const BROKER_USERS: Readonly<Record<string, string>> = {
  prepare: 'prelude_admin',
  ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, roleOf(name)])),
}

const busUrl = (user: string): string => `kafkas://${user}:${random()}@kafka:9092?mechanism=plain`

/** Their passwords, as a setting of the broker (JAAS); an address of a broker elsewhere adds none. */
function brokerUsers(made: Secrets): string {
  const users = Object.keys(BROKER_USERS)
    .map((name) => /^kafkas:\/\/(\w+):([\w-]+)@kafka:9092/.exec(made[`${name}-bus-url`] ?? ''))
    .flatMap((found) => (found ? [`user_${found[1]}="${found[2]}"`] : []))
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')};`
}

/** The store's users beside the root: one, who may make buckets, and sees those alone that it has made. */
const s3Users = (access: string, secret: string): string =>
  JSON.stringify({ accessAccounts: { [access]: { access, secret, role: 'userplus' } } })

/** Each file and how it is generated when it is missing; a later one may depend on earlier ones. */
const MAKE: Readonly<Record<string, (made: Secrets) => string | Promise<string>>> = {
  ...Object.fromEntries(SERVICE_NAMES.map((name) => [`${name}-internal-secret`, random])),
  'internal-public-keys': (made) =>
    SERVICE_NAMES.map((name) => publicKeyOf(name, made[`${name}-internal-secret`] ?? '')).join(','),
  'database-password': random,
  'database-admin-url': (made) => databaseUrl('postgres', made['database-password'] ?? ''),
  ...Object.fromEntries(
    SERVICE_SCHEMAS.map(({ schema }) => [
      `${schema}-database-url`,
      () => databaseUrl(roleOf(schema), random()),
    ]),
  ),
  'audit-database-url': () => databaseUrl(roleOf(AUDIT_SCHEMA), random()),
  'monitor-database-password': random,
  'monitor-database-url': (made) =>
    databaseUrl(roleOf(MONITOR_SCHEMA), made['monitor-database-password'] ?? ''),
  ...Object.fromEntries(
    Object.entries(BROKER_USERS).map(([name, user]) => [`${name}-bus-url`, () => busUrl(user)]),
  ),
  'broker-users': brokerUsers,
  'broker.pem': () => selfSigned('kafka'),
  'authorities.pem': (made) => certificateIn(made['broker.pem'] ?? ''),
  'redis-password': random,
  'redis-monitor-password': random,
  'redis.conf': (made) => redisConf(made['redis-password'] ?? '', made['redis-monitor-password'] ?? ''),
  'redis-exporter.json': (made) => JSON.stringify({ 'redis://redis:6379': made['redis-monitor-password'] }),
  'kv-url': (made) => `redis://:${made['redis-password']}@redis:6379`,
  's3-key': random,
  's3-users.json': (made) => s3Users('prelude', made['s3-key'] ?? ''),
  's3-root-key': random,
  's3.env': (made) => `ROOT_ACCESS_KEY=root\nROOT_SECRET_KEY=${made['s3-root-key']}`,
  'blobs-url': (made) => `s3://prelude:${made['s3-key']}@s3:7070/prelude?tls=false`,
  'mail-url': () => 'smtp://mailbox:2525?ignoreTLS=true',
  'oidc-client-secret': random,
  'operator-password': random,
  'operator-password-hash': (made) => hashPassword(operatorPassword(made['operator-password'] ?? '')),
  'stripe-secret-key': () => `sk_test_${random()}`,
  'stripe-webhook-secret': () => `whsec_${random()}`,
  'paystack-secret-key': () => '',
  'alert-webhook-url': () => '',
  'vapid-private-key': () => '',
  'generator-key': random,
  'grafana-password': random,
}

/** What earlier versions wrote: a file that still has it is made again, as one that is missing. */
const OUTDATED: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    Object.keys(BROKER_USERS).map((name) => [`${name}-bus-url`, /^kafka:\/\/kafka:9092\s*$/]),
  ),
  's3.env': /^ROOT_ACCESS_KEY=prelude$/m,
}

/** Environment variables of `make start` that are secrets here: a missing file takes their value. */
export const GIVEN: Readonly<Record<string, string>> = {
  'mail-url': 'SMTP_URL',
  'oidc-client-secret': 'OIDC_CLIENT_SECRET',
  'operator-password': 'OPERATOR_PASSWORD',
  'operator-password-hash': 'OPERATOR_PASSWORD_HASH',
  'stripe-secret-key': 'STRIPE_SECRET_KEY',
  'stripe-webhook-secret': 'STRIPE_WEBHOOK_SECRET',
  'paystack-secret-key': 'PAYSTACK_SECRET_KEY',
  'generator-key': 'GENERATOR_KEY',
  'alert-webhook-url': 'ALERT_WEBHOOK_URL',
  'vapid-private-key': 'VAPID_PRIVATE_KEY',
}

/**
 * Writes the missing secrets of docker-compose.yml into the folder and answers all of them. Only the owner may enter the
 * folder; its files are readable for everybody, since the containers run as other users.
 */
export async function makeSecrets(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Secrets> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  const made: Record<string, string> = {}
  for (const [name, make] of Object.entries(MAKE)) {
    const file = join(folder, name)
    const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    const kept = found !== null && OUTDATED[name]?.test(found) ? null : found
    made[name] = kept?.trim() ?? (env[GIVEN[name] ?? ''] || (await make(made)))
    if (kept === null) await writeFile(file, `${made[name]}\n`, { mode: 0o644 })
  }
  return made
}
