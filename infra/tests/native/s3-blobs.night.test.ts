import { Unavailable } from '@prelude/platform'
import { certificate, trustedCertificate } from '@prelude/platform/testing'
import { Client } from 'minio'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { addS3User, findS3, startS3 } from '../servers/s3.ts'
import { S3_KEYS } from '../support/server-data.ts'
import { whyMissing, withServer } from '../support/with-server.ts'
import { ownBucket } from './s3-buckets.ts'
import { openBlobs } from '@prelude/storage'
import { blobsLarge, blobsOutages } from '@prelude/storage/conformance'

const MIB = 1024 * 1024
const octets = (sizeBytes: number) => ({ sizeBytes, contentType: 'application/octet-stream' })

await withServer('S3', (server) => {
  blobsLarge(async () => ownBucket(server().url))
  blobsOutages(async () => ({ ...server(), ...ownBucket(server().url), stop: () => server().kill() }))
})

/** As a provider runs it: TLS from a private authority, and a key with the rights that docs/operations/deploy.md names. */
const missing = await whyMissing('S3 with TLS', findS3)

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
      return openBlobs(address.href)
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
