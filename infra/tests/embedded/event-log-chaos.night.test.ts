import { LOG_READER_SCHEMA, openBus } from '@prelude/platform'
import { chaosConformance, PASSWORD } from '@prelude/platform/conformance'
import { testLogger } from '@prelude/platform/testing'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgresServer } from '../servers/postgres.ts'
import type { NativeServer } from '../servers/server-process.ts'
import { grantLogReading, roleUrl } from '@prelude/platform/migrate'

let server: NativeServer | undefined

/** The event logs on a PostgreSQL of their own: it is durable, and no other test has to survive its crashes. */
async function opened() {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-chaos-'))
  server = await startPostgresServer({ dir })
  const { url: adminUrl } = server
  await grantLogReading(adminUrl, PASSWORD)
  const busUrl = roleUrl(adminUrl, LOG_READER_SCHEMA, PASSWORD)
  const bus = openBus(busUrl, testLogger())
  return {
    bus,
    busUrl,
    adminUrl,
    [Symbol.asyncDispose]: async () => {
      await bus.close()
      await server?.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

chaosConformance('event log', opened, {
  seconds: 10,
  crash: async () => {
    if (!server) return
    await server.kill()
    server = await startPostgresServer({ dir: server.dir, port: server.port })
  },
})
