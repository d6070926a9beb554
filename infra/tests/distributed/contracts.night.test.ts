import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findLastRelease } from '../servers/last-release.ts'
import { whyMissing } from '../support/with-server.ts'
import { differences, type Schema } from './differences.ts'
import { ROOT } from './servers.ts'

/** What services of the last release and of this checkout have in common while both run: files that never change, events, calls. */

/** Differences to the last release, each with what makes it harmless. A release empties this list. */
const ALLOWED: readonly (readonly [what: RegExp, why: string])[] = [
  [
    /^(credits.*\/refunds\/|songs.*-(refund|hold) ).* is gone$/,
    'the operator repeats a refund until both sides run one version',
  ],
  [
    /^(songs|shares).* reply.*\.(price|readyBy|made|messages) is required$/,
    'the gateway takes a song, and a take, without one',
  ],
  [/^songs.* body\.notes\[\]\.text has another form$/, 'the gateway refuses a blank note before'],
  [
    /^(NoticeAdded 1|notices.* reply\.items\[\])\.kind has another form$/,
    'two more kinds; the gateway passes any, and an open page of the last release shows the notice without a sentence',
  ],
  [/amountKobo has another form$/, 'the gateway refuses a smaller transfer before'],
  [/ GET \/alerts reply\.items\[\]\.name has another form$/, 'a new alert; the gateway passes any'],
]

const missing = await whyMissing('last release', findLastRelease)

/** The schemas of all events and operations of a checkout, by name. */
const SOURCE = `
  import * as contracts from './services/contracts/src/index.ts'
  const events = contracts.EVENTS.map(({ type, version, data }) => [\`\${type} \${version}\`, data])
  const operations = Object.entries(contracts).filter(([name]) => name.endsWith('Api')).flatMap(([name, api]) =>
    Object.values(api).flatMap(({ method, path, query = {}, body = {}, reply = {} }) =>
      Object.entries({ query, body, reply }).map(([what, schema]) => [\`\${name} \${method} \${path} \${what}\`, schema])))
  process.stdout.write(JSON.stringify(Object.fromEntries([...events, ...operations])))`
const schemasOf = (root: string): Record<string, Schema> =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', SOURCE], {
      cwd: root,
      encoding: 'utf8',
    }),
  ) as Record<string, Schema>

test.skipIf(missing !== null)(
  'events and calls of the last release are understood, and understand those of now',
  async () => {
    const [then, now] = [schemasOf(await findLastRelease()), schemasOf(ROOT)]
    expect(Object.keys(then).length).toBeGreaterThan(200)
    const found = Object.entries(then).flatMap(([name, schema]) =>
      differences(name, schema, now[name], 'both'),
    )
    expect(found.filter((one) => !ALLOWED.some(([what]) => what.test(one)))).toEqual([])
    expect(ALLOWED.filter(([what]) => !found.some((one) => what.test(one)))).toEqual([])
  },
)

test.skipIf(missing !== null)(
  'migrations and fixtures of events that were released are unchanged',
  async () => {
    const old = await findLastRelease()
    const kept = globSync('{gateway,services/**}/{migrations/**/*.sql,test/fixtures/*.v*.json}', { cwd: old })
    expect(kept.length).toBeGreaterThan(30)
    const read = (root: string, place = (file: string) => file) =>
      Promise.all(kept.map((file) => readFile(join(root, place(file)), 'utf8').catch(() => file)))
    // the key-value store has moved since
    const movedTo = (file: string) =>
      file.replace('services/platform/src/key-value', 'gateway/src/api/key-value')
    expect(await read(ROOT, movedTo)).toEqual(await read(old))
  },
)
