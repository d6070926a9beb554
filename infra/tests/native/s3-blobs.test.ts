import { eventually } from '@prelude/platform/eventually'
import { Client } from 'minio'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { S3_KEYS } from '../support/server-data.ts'
import { withServer } from '../support/with-server.ts'
import { ownBucket } from './s3-buckets.ts'
import { openBlobs } from '@prelude/storage'
import { blobsConformance } from '@prelude/storage/conformance'

const MIB = 1024 * 1024
const octets = (sizeBytes: number) => ({ sizeBytes, contentType: 'application/octet-stream' })

await withServer('S3', (server) => {
  const store = () => ownBucket(server().url)
  blobsConformance(async () => store())

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
    await eventually(async () => expect((await fetch(ending)).status).toBe(403))
  })

  test('without a public URL there is no address for browsers', async () => {
    const blobs = openBlobs(server().url)
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
        await setImmediate()
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
    const blobs = openBlobs(url.href)
    await expect(blobs.head('a')).rejects.toMatchObject({ name: 'S3Error' })
    await blobs.close()
  })
})
