import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Client } from 'minio'
import { findS3, startS3 } from '../servers/s3.ts'
import { S3_KEYS } from '../support/server-data.ts'
import { whyMissing } from '../support/with-server.ts'
import { expect, test } from './fixtures.ts'
import { item, listen } from './steps.ts'
import { fulfil, person, request, tone } from './studio.ts'
import { openBlobs } from '@prelude/storage'

/** Storage answers with a redirect to the object store, as with BLOBS_PUBLIC_URL: a store at another origin than the page. */

const CORS = (origin: string): string => `<CORSConfiguration><CORSRule>
  <AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedHeader>*</AllowedHeader>
</CORSRule></CORSConfiguration>`

const missing = await whyMissing('S3', findS3)

test('a song plays from an object store whose CORS rule allows the page, and else through the gateway @night', async ({
  visit,
  product,
}) => {
  test.skip(missing !== null, missing ?? '')
  const dir = await mkdtemp(join(tmpdir(), 'prelude-s3-'))
  const s3 = await startS3({ dir, ...S3_KEYS })
  const origin = `http://127.0.0.1:${s3.port}`
  const blobs = openBlobs(s3.url, { publicUrl: origin })
  const bytes = tone(30)
  await blobs.put('song', Readable.from([bytes]), { sizeBytes: bytes.length, contentType: 'audio/wav' })
  const bo = await person()
  const song = await request(bo, 'la', 'From the store')
  await fulfil(song)

  /** Plays it; `search`: of its address when it is heard. The first answer of the gateway is the redirect to the store. */
  const heard = async (search: string): Promise<void> => {
    const visitor = await visit({ bypassCSP: true }) // the gateway allows BLOBS_PUBLIC_URL alone
    const [name = '', value = ''] = bo.cookie.split('=')
    await visitor.context.addCookies([{ name, value, url: product.endpoints.web }])
    const playing = await listen(visitor)
    const location = (await blobs.publicUrl('song', 60_000)) ?? ''
    await visitor.page.route('**/versions/1', (route) =>
      route.fulfill({ status: 302, headers: { location } }),
    )
    await visitor.page.goto('/')
    await item(visitor, 'From the store').getByRole('button', { name: 'Download' }).click()
    await visitor.page.getByRole('menuitem', { name: 'Version 1' }).click()
    await expect
      .poll(async () => (await playing(visitor.page)).map((one) => [one.search, one.peak > 0]))
      .toEqual([[search, true]])
  }
  try {
    await heard('?inside=1')
    const client = new Client({
      endPoint: '127.0.0.1',
      port: s3.port,
      useSSL: false,
      region: 'us-east-1',
      ...S3_KEYS,
    })
    const address = await client.presignedUrl('PUT', 'prelude', '', 60, { cors: '' })
    const body = CORS(product.endpoints.web)
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    const answer = await fetch(address, { method: 'PUT', body, headers })
    expect(await answer.text()).toBe('')
    await heard('')
  } finally {
    await blobs.close()
    await s3.stop()
    await rm(dir, { recursive: true, force: true })
  }
})
