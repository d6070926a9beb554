import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { withOwnerConnection } from '@prelude/platform'
import { withDatabase } from '../../embedded/with-database.ts'
import { productOfFile } from '../support/callers.ts'
import { OWN_SETTINGS } from '../support/own-settings.ts'
import { startProductProcess } from '../support/product-process.ts'

/** Starts and stops of one product: each test but the last leaves it running. */

const running = productOfFile({ GENERATOR_URL: 'stand-in' })
const ROLES = ['bus', 'credits', 'gateway', 'kv', 'notifier', 'payments', 'songs', 'storage']

test('all ports listen on loopback only while a stand-in is in use', async () => {
  const { web, health, mailbox, identity, checkout, generator } = running().endpoints
  for (const address of [web, mailbox, identity, checkout, generator, ...Object.values(health)]) {
    const { hostname, port } = new URL(address ?? '')
    expect(['localhost', '127.0.0.1']).toContain(hostname)
    // another loopback address is free unless the server listens on all addresses
    const probe = createServer()
    probe.listen(Number(port), '127.0.0.2')
    await once(probe, 'listening')
    probe.close()
  }
})

test('a taken port, a bad setting and a folder that cannot be written are refused with one sentence', async () => {
  const taken = createServer()
  await once(taken.listen(0, 'localhost'), 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  await expect(startProductProcess({ PORT: port })).rejects.toThrow(new RegExp(`Port ${port} is taken`))
  taken.close()

  const bad = startProductProcess({ PORT: 'eighty', STARTING_CREDITS: '-1' })
  await expect(bad).rejects.toThrow(/Bad settings: PORT must be .*; STARTING_CREDITS must be/)
  await expect(startProductProcess({ DATA_DIR: '/proc/nowhere' })).rejects.toThrow(
    /^the product ended: [^\n]+\n$/,
  )
})

test('services connect to the database by its socket and others by its port, also after it was killed', async () => {
  const product = running()
  const at = { dataDir: product.dataDir, adminUrl: undefined }
  const connections = (): Promise<{ role: string; socket: boolean }[]> =>
    withDatabase(at, (adminUrl) =>
      withOwnerConnection(adminUrl, async (client) => {
        const { rows } = await client.query<{ role: string; socket: boolean }>(
          `select distinct usename as role, client_addr is null as socket
           from pg_stat_activity where backend_type = 'client backend' order by 1`,
        )
        return rows
      }),
    )
  const expected = [
    { role: 'postgres', socket: false },
    ...ROLES.map((role) => ({ role: `prelude_${role}`, socket: true })),
  ]
  await eventually(async () => expect(await connections()).toEqual(expected))
  const pidFile = join(product.dataDir, 'postgres/cluster/postmaster.pid')
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (!(pid > 1)) throw new Error(`${pidFile} names no process`)
  process.kill(pid, 'SIGKILL')
  await eventually(async () => expect(await connections()).toEqual(expected))
})

test('with an identity provider elsewhere no file but secrets.json holds the admin password', async () => {
  const OPERATOR_PASSWORD = 'a password of this test'
  await using product = await startProductProcess({
    OIDC_ISSUER: 'https://identity.invalid',
    OIDC_CLIENT_ID: 'prelude',
    OIDC_CLIENT_SECRET: 'a secret of this test',
    OPERATOR_UID: 'somebody',
    OPERATOR_PASSWORD,
    ...OWN_SETTINGS,
  })
  const text = readFileSync(join(product.dataDir, 'endpoints.json'), 'utf8')
  expect(JSON.parse(text)).toMatchObject({ identity: null, operator: { email: '', password: '' } })
  expect(text + product.output()).not.toContain(OPERATOR_PASSWORD)
})

test('a SIGTERM ends it in order also when its output is closed', async () => {
  const product = running()
  product.leaveOutput()
  expect(await product.stop()).toBe(0)
  expect(existsSync(join(product.dataDir, 'prelude.pid'))).toBe(false)
})
