import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'

/** The commands of `make containers-update` for the container engine, which is a fake here: a program that records its arguments. */

const ROOT = resolve(import.meta.dirname, '../../..')
const ENGINE = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >>commands
case "$*" in
  compose\\ config*) cat config.json ;;
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
  await writeFile(join(engine, 'fails'), '')
  await writeFile(join(engine, 'docker'), ENGINE)
  await chmod(join(engine, 'docker'), 0o755)
})
afterEach(() => rm(engine, { recursive: true }))

/** Answers what it wrote on stderr. */
const update = (): string =>
  spawnSync(process.execPath, ['infra/docker/update.ts'], {
    cwd: ROOT,
    env: { PATH: engine + delimiter + process.env['PATH'] },
    encoding: 'utf8',
  }).stderr

test('an update starts new instances of each service beside the old ones before these receive SIGTERM', async () => {
  expect(update()).toBe('')
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
  expect(update()).toMatch(/The update ended at: docker compose up .* songs=4 songs/)
  expect((await commands()).at(-1)).toContain('--no-recreate --scale songs=4')
})
