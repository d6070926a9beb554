import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { freePort } from '../support/product-process.ts'
import { ROOT, settingsFor, start } from './service-alone.ts'

test('a service warns of a database elsewhere whose address does not say whether to use TLS', async () => {
  const url = 'postgres://prelude_songs:p@db.invalid/x'
  const songs = spawn(process.execPath, ['services/songs/src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      ...settingsFor('songs'),
      DATABASE_URL: url,
      BUS_URL: `${url}?sslmode=verify-full`,
      INTERNAL_PORT: String(await freePort()),
    },
  })
  let output = ''
  songs.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await eventually(() => expect(output).toMatch(/"setting":"DATABASE_URL".*no sslmode/))
  expect(output).not.toContain('"BUS_URL"')
  songs.kill('SIGKILL')
  await once(songs, 'exit')
})

test.for(SERVICE_NAMES)('%s refuses every secret of the example for a cluster', (service) => {
  const documents = parseAllDocuments(readFileSync(join(ROOT, 'infra/k8s/secrets.example.yaml'), 'utf8'))
  const secrets = documents.map(
    (one) => one.toJS() as { metadata: { name: string }; stringData: Record<string, string> },
  )
  const own = secrets.find(({ metadata }) => metadata.name === `prelude-${service}`)?.stringData ?? {}
  const given = Object.entries(own).filter(([, value]) => value !== '')
  expect(given.length).toBeGreaterThan(2)
  const { stderr } = start(service, Object.fromEntries(given))
  for (const [name] of given) expect(stderr).toContain(`${name} still has the text of the example`)
})
