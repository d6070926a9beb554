import { open, Unavailable } from '@prelude/platform'
import { blobsConformance, blobsOutages } from '@prelude/platform/conformance'
import { certificate, trustedCertificate } from '@prelude/platform/testing'
import { Client } from 'minio'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addS3User, obtainS3, startS3 } from '../../native/s3.ts'
import { S3_KEYS } from '../support/server-data.ts'
import { whyMissing, withServer } from '../support/with-server.ts'

const MIB = 1024 * 1024
const octets = (sizeBytes: number) => ({ sizeBytes, contentType: 'application/octet-stream' })

await withServer('S3', (server) => {
  /** A store with a bucket of its own. */
  const store = () => {
    const running = server()
    const url = new URL(running.url)
    url.pathname = `/test-${randomUUID()}`
    const blobs = open.blobs(url.href, { publicUrl: `http://127.0.0.1:${running.port}` })
    return { blobs, bucket: url.pathname.slice(1), [Symbol.asyncDispose]: () => blobs.close() }
  }
  blobsConformance(async () => store())
  blobsOutages(async () => ({
    ...store(),
    stop: () => server().kill(),
    start: () => server().start(),
    freeze: () => server().freeze(),
    thaw: () => server().thaw(),
  }))

  test('an address for browsers serves the object with ranges and a name to save it under', async () => {
    await using opened = store()
    const { blobs } = opened
    await blobs.put('songs/1/a_b.mp3', Readable.from(['0123456789']), {
      sizeBytes: 10,
      contentType: 'audio/mpeg',
    })
    const disposition = `attachment; filename="Grue_1.mp3"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.mp3`
    const address = await blobs.publicUrl('songs/1/a_b.mp3', 60_000, disposition)
    const answer = await fetch(address ?? '', { headers: { range: 'bytes=2-4' } })
    expect(answer.status).toBe(206)
    expect(await answer.text()).toBe('234')
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(answer.headers.get('content-disposition')).toBe(disposition)
  })

  test('an address for browsers serves one object only, and not for ever', async () => {
    await using opened = store()
    const { blobs } = opened
    await blobs.put('mine', Readable.from(['a']), octets(1))
    await blobs.put('other', Readable.from(['b']), octets(1))
    const address = (await blobs.publicUrl('mine', 60_000)) ?? ''
    expect((await fetch(address)).status).toBe(200)
    expect((await fetch(address.replace('/mine?', '/other?'))).status).toBe(403)
    const ending = (await blobs.publicUrl('mine', 1_000)) ?? ''
    await expect.poll(async () => (await fetch(ending)).status, { timeout: 20_000, interval: 200 }).toBe(403)
  })

  test('without a public URL there is no address for browsers', async () => {
    const blobs = open.blobs(server().url)
    expect(await blobs.publicUrl('a', 60_000)).toBeNull()
    await blobs.close()
  })

  test('what others keep in the bucket under other names is not listed', async () => {
    await using opened = store()
    await opened.blobs.put('songs/1/a', Readable.from(['a']), octets(1))
    const place = { endPoint: '127.0.0.1', port: server().port, useSSL: false, region: 'us-east-1' }
    const client = new Client({ ...place, ...S3_KEYS })
    for (const key of ['songs/1/-r', 'songs/1/.hidden', '007'])
      await client.putObject(opened.bucket, key, 'x')
    expect(await Array.fromAsync(opened.blobs.list(''), ({ path }) => path)).toEqual(['songs/1/a'])
  })

  test('a large put that fails leaves no parts in the store', async () => {
    await using opened = store()
    const broken = Readable.from(
      (async function* () {
        for (let i = 0; i < 20; i++) yield Buffer.alloc(MIB)
        await delay(1)
        throw new Error('the source broke')
      })(),
    )
    await expect(opened.blobs.put('large', broken, octets(40 * MIB))).rejects.toThrow('the source broke')
    const left = await readdir(join(server().dir, 'objects', opened.bucket), { recursive: true })
    expect(left.filter((name) => !name.startsWith('.sgwtmp'))).toEqual([])
    expect(left.filter((name) => name.includes('multipart/'))).toEqual([])
  })

  test('wrong keys are an error of their own, not an outage', async () => {
    const url = new URL(server().url)
    url.password = 'wrong'
    const blobs = open.blobs(url.href)
    await expect(blobs.head('a')).rejects.toMatchObject({ name: 'S3Error' })
    await blobs.close()
  })
})

/** As a provider runs it: TLS from a private authority, and a key with the rights that docs/operations/deploy.md names. */
const missing = await whyMissing('S3 with TLS', obtainS3)

const LEAST = { accessKey: 'least', secretKey: 'least-secret' }
const allow = (resource: string, ...actions: string[]) => ({
  Effect: 'Allow',
  Principal: { AWS: [LEAST.accessKey] },
  Action: actions.map((action) => `s3:${action}`),
  Resource: `arn:aws:s3:::${resource}`,
})

test.skipIf(missing !== null)(
  'a key that may read, write, list and delete in its bucket is enough, over TLS',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'prelude-s3-'))
    const own = await certificate('IP:127.0.0.1', await trustedCertificate())
    const s3 = await startS3({ dir, ...S3_KEYS, certificate: own })
    const place = { endPoint: '127.0.0.1', port: s3.port, useSSL: true, region: 'us-east-1' }
    const root = new Client({ ...place, ...S3_KEYS })
    await root.makeBucket('prelude')
    await addS3User(s3, S3_KEYS, LEAST)
    const policy = [
      allow('prelude', 'ListBucket'),
      allow('prelude/*', 'GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload'),
    ]
    await root.setBucketPolicy('prelude', JSON.stringify({ Statement: policy }))
    const url = new URL(s3.url)
    url.username = LEAST.accessKey
    url.password = LEAST.secretKey
    const opened = ['', 'other', 'localhost'].map((wrong) => {
      const address = new URL(url)
      if (wrong === 'other') address.pathname = '/other'
      if (wrong === 'localhost') address.hostname = wrong
      return open.blobs(address.href)
    })
    const [blobs, otherBucket, otherName] = opened
    try {
      await blobs?.ping()
      for (const sizeBytes of [10, 20 * MIB])
        await blobs?.put(
          `songs/${sizeBytes}`,
          Readable.from([Buffer.alloc(sizeBytes, 'a')]),
          octets(sizeBytes),
        )
      const part = await blobs?.get('songs/10', { start: 2, end: 4 })
      expect((await buffer(part!)).toString()).toBe('aaa')
      expect(await blobs?.head(`songs/${20 * MIB}`)).toMatchObject({ sizeBytes: 20 * MIB })
      await blobs?.delete('songs/10')
      expect(await Array.fromAsync(blobs!.list('songs/'), ({ path }) => path)).toEqual([`songs/${20 * MIB}`])
      await expect(otherBucket?.ping()).rejects.toMatchObject({ name: 'S3Error' })
      await expect(otherName?.ping()).rejects.toBeInstanceOf(Unavailable)
    } finally {
      await Promise.all(opened.map((one) => one.close()))
      await s3.stop()
      await rm(dir, { recursive: true })
    }
  },
)
