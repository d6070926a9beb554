import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServerMissing } from '../../native/server-missing.ts'
import { freePort } from '../../native/server-process.ts'
import { containersProblem } from '../../stack/compose.ts'
import { somebody } from '../support/callers.ts'
import { runningProduct } from '../support/product-process.ts'
import { whyMissing } from '../support/with-server.ts'

/**
 * `make containers` on a container engine, from a copy of the source tree and in a compose project of its own, so that its
 * settings, secrets and volumes are not those of a product that runs here.
 */

const ROOT = resolve(import.meta.dirname, '../../..')
const BUILD_WITHIN_MS = 900_000
const STORY_WITHIN_MS = 300_000

const missing = await whyMissing('container engine', async () => {
  const problem = containersProblem(ROOT)
  if (problem !== null) throw new ServerMissing(problem)
})

describe.skipIf(missing !== null)('the product in containers', { timeout: BUILD_WITHIN_MS }, () => {
  let copy = ''
  let env: NodeJS.ProcessEnv = {}
  const run = (command: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
    return stdout + stderr
  }
  const compose = (...args: string[]): string => run('docker', 'compose', ...args)
  const product = () => runningProduct(join(copy, 'infra/docker/secrets'))

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'prelude-containers-'))
    await copySources(copy)
    env = {
      ...process.env,
      COMPOSE_PROJECT_NAME: 'prelude-test',
      PORT: String(await freePort()),
      RATE_LIMITS: 'off',
    }
    run('node', 'infra/docker/first-run.ts')
    compose('up', '--build', '--detach', '--wait')
  }, BUILD_WITHIN_MS)
  afterAll(async () => {
    compose('--profile', '*', 'down', '--volumes')
    await rm(copy, { recursive: true, force: true })
  }, 120_000)

  test('HAProxy finds nothing to complain about in its settings', () => {
    const settings = '/usr/local/etc/haproxy/haproxy.cfg'
    expect(compose('exec', '-T', 'balancer', 'haproxy', '-c', '-f', settings)).not.toContain('WARNING')
  })

  test('the image lists the packages that it consists of', () => {
    const { components } = JSON.parse(compose('exec', '-T', 'gateway', 'cat', 'sbom.cdx.json')) as {
      components: { name: string }[]
    }
    const names = components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'kafkajs', 'pg']))
    expect(names).not.toContain('vitest')
  })

  test('a service that has fallen cannot write to the topic of another one', () => {
    const run = ['exec', '-T', 'songs', 'node', '--input-type=module', '--eval', FORGE_A_PAYMENT]
    expect(compose(...run)).toMatch(/^TOPIC_AUTHORIZATION_FAILED/) // a warning of kafkajs may follow
  })

  test('a song from its lyrics to playback in a browser, with a restart of all services in between', () => {
    const services = 'gateway songs credits payments storage notifier'
    const restart = `docker compose restart ${services} && docker compose up -d --wait --no-recreate`
    const story = {
      ...env,
      SERVERS: '',
      PRODUCT_DIR: join(copy, 'infra/docker/secrets'),
      PRODUCT_RESTART: `cd ${copy} && ${restart}`,
      PRODUCT_CHECK: `cd ${copy} && docker compose run --rm prepare prelude check-invariants`,
    }
    // longer than elsewhere: a restart of all containers, twice as many processes, is part of the test
    const limit = `--testTimeout=${STORY_WITHIN_MS}`
    const args = ['run', '--config', 'infra/tests/e2e/vitest.config.ts', limit, 'story']
    const { status, stdout, stderr } = spawnSync('node_modules/.bin/vitest', args, {
      cwd: ROOT,
      env: story,
      encoding: 'utf8',
    })
    expect(status === 0 ? '' : stdout + stderr).toBe('')
  })

  test('an update to another version replaces every service and drops no request', async () => {
    const ada = await somebody(await product())
    const containers = (): string[] =>
      compose('ps', '--quiet', 'gateway', 'songs', 'credits').trim().split('\n')
    const before = containers()
    await writeFile(join(copy, 'services/platform/src/next-version.ts'), 'export {}\n')
    const statuses: number[] = []
    let isUpdating = true
    const use = async (): Promise<void> => {
      while (isUpdating)
        for (const path of ['/api/songs', '/api/credits', '/api/me'])
          statuses.push((await ada.call('GET', path)).status)
    }
    const using = use()
    await promisify(execFile)('make', ['containers-update'], {
      cwd: copy,
      env,
      maxBuffer: 64 * 1024 * 1024,
    }).finally(() => (isUpdating = false))
    await using
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(containers().filter((id) => before.includes(id))).toEqual([])
    expect(compose('run', '--rm', 'prepare', 'prelude', 'check-invariants')).toContain(' 0 broken')
  })
})

/** Runs in the container of songs, with what that has: prints why the broker refused it. */
const FORGE_A_PAYMENT = `
  import { readFileSync } from 'node:fs'
  import { kafkaAddress } from '@prelude/platform'
  import { Kafka, logLevel } from 'kafkajs'
  const { brokers, sasl } = kafkaAddress(readFileSync('/run/secrets/songs-bus-url', 'utf8').trim())
  const client = new Kafka({ brokers, sasl, ssl: true, logLevel: logLevel.NOTHING, retry: { retries: 0 } })
  const producer = client.producer()
  await producer.connect()
  const sent = producer.send({ topic: 'prelude.payments', messages: [{ key: 'eve', value: 'forged' }] })
  process.stdout.write(await sent.then(() => 'written', ({ type }) => type))
  process.exit()
`

/** The files of the source tree as they are now, committed or not, with the packages that are installed here. */
async function copySources(to: string): Promise<void> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 })
  for (const file of stdout.trim().split('\n'))
    if (existsSync(join(ROOT, file))) await cp(join(ROOT, file), join(to, file))
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'))
}
