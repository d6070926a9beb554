import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BUILD_WITHIN_MS,
  noContainers,
  type ProductInContainers,
  startContainers,
} from './product-in-containers.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

const missing = await noContainers()

describe.skipIf(missing !== null)('the product in containers', { timeout: BUILD_WITHIN_MS }, () => {
  let containers: ProductInContainers
  beforeAll(async () => {
    containers = await startContainers({ GENERATOR_URL: 'stand-in' })
  }, BUILD_WITHIN_MS)
  afterAll(() => containers?.[Symbol.asyncDispose](), 120_000)
  const compose = (...args: string[]): string => containers.compose(...args)

  test('HAProxy finds nothing to complain about in its settings', () => {
    const settings = '/usr/local/etc/haproxy/haproxy.cfg'
    expect(compose('exec', '-T', 'balancer', 'haproxy', '-c', '-f', settings)).not.toContain('WARNING')
  })

  test('the image lists the packages that it consists of', () => {
    const { components } = JSON.parse(compose('exec', '-T', 'gateway', 'cat', 'sbom.cdx.json')) as {
      components: { name: string; version: string }[]
    }
    const names = components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'kafkajs', 'pg']))
    expect(names).not.toContain('vitest')
    const format = '--showformat=${Package} ${Version}\n'
    const ofDebian = compose('exec', '-T', 'gateway', 'dpkg-query', '--show', format).trim().split('\n')
    expect(ofDebian.length).toBeGreaterThan(50)
    expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual(
      expect.arrayContaining(ofDebian),
    )
  })

  test('a service that has fallen cannot write to the topic of another one', () => {
    const run = ['exec', '-T', 'songs', 'node', '--input-type=module', '--eval', FORGE_A_PAYMENT]
    expect(compose(...run)).toMatch(/^TOPIC_AUTHORIZATION_FAILED/) // a warning of kafkajs may follow
  })

  test('a song from its lyrics to playback with a restart in between, its promise, messages, licence and drafts, in a browser', () => {
    const { folder, env } = containers
    const services = 'gateway songs credits payments storage notifier'
    const restart = `docker compose restart ${services} && docker compose up -d --wait --no-recreate`
    const story = {
      ...env,
      PRODUCT_DIR: join(folder, 'infra/docker/secrets'),
      PRODUCT_RESTART: `cd ${folder} && ${restart}`,
      PRODUCT_CHECK: `cd ${folder} && docker compose run --rm prepare prelude check-invariants`,
    }
    const files = '/(story|order|thread|licence|drafts)[.]e2e[.]ts'
    const args = ['test', '--config', 'infra/tests/e2e', '--workers=1', files]
    const { status, stdout, stderr } = spawnSync('node_modules/.bin/playwright', args, {
      cwd: ROOT,
      env: story,
      encoding: 'utf8',
    })
    expect(status === 0 ? '' : stdout + stderr).toBe('')
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
