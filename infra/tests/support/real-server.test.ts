import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** A container engine that has some images and can pull all but one, as far as it is asked about them. */
async function engineWith(images: readonly string[]): Promise<string> {
  const there = new Set(images)
  const engine = createServer((request, response) => {
    const { pathname, searchParams } = new URL(decodeURIComponent(request.url ?? ''), 'http://engine')
    const isPull = pathname.endsWith('/images/create')
    const image = isPull
      ? `${searchParams.get('fromImage')}:${searchParams.get('tag')}`
      : /\/images\/(.+)\/json$/.exec(pathname)?.[1]
    if (isPull && image !== undefined && !image.startsWith('versity/')) there.add(image)
    const isThere = image === undefined || there.has(image)
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ OperatingSystem: 'Linux', Id: 'one' }))
  })
  await once(engine.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => engine.close().closeAllConnections())
  return `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`
}

/** What a new process decides for each server; testcontainers looks for the engine once a process. */
async function decided(engine: string, servers?: 'containers'): Promise<Record<string, string>> {
  const source = `
    import { containerFor } from ${JSON.stringify(join(import.meta.dirname, 'container-server.ts'))}
    const found = {}
    for (const name of ['PostgreSQL', 'Kafka', 'Redis', 'S3', 'stripe-mock']) {
      const one = await containerFor(name)
      found[name] = typeof one === 'string' ? one : 'image ' + one.image
    }
    process.stdout.write(JSON.stringify(found))`
  const env = {
    ...process.env,
    SERVERS: servers,
    DOCKER_HOST: engine,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    env,
  })
  return JSON.parse(stdout) as Record<string, string>
}

test('tests run a server in a container of the image in docker-compose.yml where the engine has it', async () => {
  const without = await decided(await engineWith([]))
  const images = Object.values(without).flatMap((reason) => /has no image (\S+)$/.exec(reason)?.[1] ?? [])
  expect(images.map((image) => image.split(':')[0])).toEqual([
    'postgres',
    'apache/kafka',
    'redis',
    expect.stringContaining('versity'),
  ])
  const [postgres, , redis] = images as [string, string, string, string]
  const some = await decided(await engineWith([postgres, redis]))
  expect(some).toEqual({ ...without, PostgreSQL: `image ${postgres}`, Redis: `image ${redis}` })
  expect(some['stripe-mock']).toBe('it has no container')
})

test('a missing image is pulled where containers are demanded, and only there', async () => {
  const image = expect.stringMatching(/^image /)
  expect(await decided(await engineWith([]), 'containers')).toEqual({
    PostgreSQL: image,
    Kafka: image,
    Redis: image,
    S3: expect.stringMatching(/has no image versity\S+ and cannot pull it: /),
    'stripe-mock': 'it has no container',
  })
})
