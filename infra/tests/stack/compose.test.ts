import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { containersProblem, updateContainers } from '../../stack/compose.ts'

/** The commands for the container engine, which is a fake here: a program that records its arguments. */

const ROOT = resolve(import.meta.dirname, '../../..')
const PATH = process.env['PATH'] ?? ''
const ENGINE = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >>commands
case "$*" in
  info) ;;
  compose\\ config*) cat config.json ;;
  image\\ inspect*) ! grep -qxF "$3" missing ;;
  pull*) exit 1 ;;
  *) [ ! -s fails ] || case "$*" in "$(cat fails)"*) exit 1 ;; esac ;;
esac
`

let engine = ''
const commands = async (): Promise<string[]> =>
  (await readFile(join(engine, 'commands'), 'utf8')).trim().split('\n').slice(1)

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

test('containers can run where the images of all started services exist, without those of the dashboards', async () => {
  await writeFile(join(engine, 'missing'), 'grafana/grafana:12.1.1\n')
  expect(containersProblem(ROOT)).toBeNull()
})

test('an image that neither exists nor can be pulled is named', async () => {
  await writeFile(join(engine, 'missing'), 'apache/kafka:4.1.1\n')
  expect(containersProblem(ROOT)).toBe('the image apache/kafka:4.1.1 is neither there nor to be pulled')
})

test('an update starts new instances of each service beside the old ones before these receive SIGTERM', async () => {
  updateContainers(ROOT)
  const services = ['songs', 'credits', 'payments', 'notifier', 'gateway']
  expect(await commands()).toEqual([
    'compose build',
    'compose run --rm prepare',
    ...services.flatMap((service) => [
      `compose up --detach --wait --no-deps --no-recreate --scale ${service}=4 ${service}`,
      `compose up --detach --wait --no-deps --scale ${service}=2 ${service}`,
    ]),
    'compose up --detach --wait',
    'compose kill --signal USR2 balancer',
  ])
})

test('an update whose new instances do not become healthy leaves the old ones running', async () => {
  await writeFile(join(engine, 'fails'), 'compose up --detach --wait --no-deps --no-recreate --scale songs=4')
  expect(() => updateContainers(ROOT)).toThrow(/The update ended at: docker compose up .* songs=4 songs/)
  expect((await commands()).at(-1)).toContain('--no-recreate --scale songs=4')
})
