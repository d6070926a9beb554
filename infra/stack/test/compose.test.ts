import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { containersProblem, updateContainers } from '../compose.ts'

/** What is asked of an engine, which is the vendor's: here a program that writes down what it is told. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PATH = process.env['PATH'] ?? ''
const ENGINE = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >>told
case "$*" in
  info) ;;
  compose\\ config*) cat config.json ;;
  image\\ inspect*) ! grep -qxF "$3" missing ;;
  pull*) exit 1 ;;
  *) [ ! -s fails ] || case "$*" in "$(cat fails)"*) exit 1 ;; esac ;;
esac
`

let engine = ''
const told = async (): Promise<string[]> =>
  (await readFile(join(engine, 'told'), 'utf8')).trim().split('\n').slice(1)

beforeEach(async () => {
  engine = await mkdtemp(join(tmpdir(), 'prelude-engine-'))
  const compose: unknown = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), {
    merge: true,
    maxAliasCount: -1,
  })
  const config = JSON.stringify(compose).replaceAll('${PRELUDE_IMAGE:-prelude}', 'prelude')
  await writeFile(join(engine, 'config.json'), config)
  for (const name of ['missing', 'fails']) await writeFile(join(engine, name), '')
  await writeFile(join(engine, 'docker'), ENGINE)
  await chmod(join(engine, 'docker'), 0o755)
  process.env['PATH'] = engine + delimiter + PATH
})

afterEach(async () => {
  process.env['PATH'] = PATH
  await rm(engine, { recursive: true })
})

test('containers can run where the images of what is started are there, also without those of the dashboards', async () => {
  await writeFile(join(engine, 'missing'), 'grafana/grafana:12.1.1\n')
  expect(containersProblem(ROOT)).toBeNull()
})

test('an image that is neither there nor to be pulled is named', async () => {
  await writeFile(join(engine, 'missing'), 'apache/kafka:4.1.1\n')
  expect(containersProblem(ROOT)).toBe('the image apache/kafka:4.1.1 is neither there nor to be pulled')
})

test('an update starts new instances of each part beside the old ones before these are told to stop', async () => {
  updateContainers(ROOT)
  const parts = ['songs', 'credits', 'payments', 'notifier', 'gateway']
  expect(await told()).toEqual([
    'compose build',
    'compose run --rm prepare',
    ...parts.flatMap((part) => [
      `compose up --detach --wait --no-deps --no-recreate --scale ${part}=4 ${part}`,
      `compose up --detach --wait --no-deps --scale ${part}=2 ${part}`,
    ]),
    'compose up --detach --wait',
    'compose kill --signal USR2 balancer',
  ])
})

test('an update whose new instances do not get healthy leaves the old ones alone', async () => {
  await writeFile(join(engine, 'fails'), 'compose up --detach --wait --no-deps --no-recreate --scale songs=4')
  expect(() => updateContainers(ROOT)).toThrow(/The update ended at: docker compose up .* songs=4 songs/)
  expect((await told()).at(-1)).toContain('--no-recreate --scale songs=4')
})
