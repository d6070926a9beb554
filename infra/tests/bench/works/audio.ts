import { MAX_CHUNK_BYTES, RESUMABLE_ABOVE_BYTES } from '@prelude/contracts'
import { peakBytes, residentBytes } from '../process.ts'
import { type BenchProduct, untilDecided } from '../product.ts'
import { audioHead, type Call, runTransfer, type Transfer } from '../transfer.ts'
import { atMost, type Bench, besideBaseline, inTurn, megabytes, type Row, type Work } from '../work.ts'

const MB = 1_000_000
const FILE_BYTES = 5 * MB
const LARGE_BYTES = 200 * 1024 * 1024
const FILES = 60
const SIZES = Array.from({ length: FILES }, () => FILE_BYTES)
/** A round takes a second or two, in which the disk's pace changes much: ratios of single rounds spread from 0.6 to 1.0. */
const TRANSFER_ROUNDS = 9
const BOUNDARY = 'prelude-bench'
const BEFORE = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="take.wav"\r\ncontent-type: audio/wav\r\n\r\n`
const AFTER = `\r\n--${BOUNDARY}--\r\n`

/** Upload and download of 5 MB files, four at once; and the memory that large files take. */
export const audio: Work = {
  name: 'audio',
  run: async (bench) => {
    const { product } = bench
    const songIds = await readySongs(product, 4)
    const uploads = await inTurn({
      baseline: () => runTransfer(put(bench, SIZES)),
      product: () => runTransfer(replace(product, songIds, SIZES)),
      rounds: TRANSFER_ROUNDS,
    })
    const resumable: Transfer[] = []
    while (resumable.length < TRANSFER_ROUNDS) resumable.push(await resume(product, FILES / 2))
    const resumed = await inTurn({
      baseline: () => runTransfer(put(bench, SIZES)),
      product: () => runTransfer(resumable.pop() as Transfer),
      rounds: TRANSFER_ROUNDS,
    })
    const downloads = await inTurn({
      baseline: () => runTransfer(get(FILES * 4, (n) => [`${bench.baseline.url}/files/${n % 4}`, ''])),
      product: () => runTransfer(get(FILES * 4, audioOf(product, songIds))),
      rounds: TRANSFER_ROUNDS,
    })
    return [
      besideBaseline('upload of 5 MB, four at once', uploads, 0.8, bytesPerSecond),
      besideBaseline('resumable upload of 5 MB, four at once, and delivery', resumed, 0.6, bytesPerSecond),
      besideBaseline('download of 5 MB, four at once', downloads, 0.9, bytesPerSecond),
      await memory(bench, songIds),
    ]
  },
}

const bytesPerSecond = (rate: number): string => `${megabytes(rate)}/s`

/** Memory during four uploads of 200 MiB beside twenty downloads. */
async function memory({ product }: Bench, songIds: readonly string[]): Promise<Row> {
  const { pid } = product.process.endpoints
  const idle = await residentBytes(pid)
  const { peak } = await peakBytes(pid, async () => {
    await runTransfer(replace(product, songIds, Array(4).fill(LARGE_BYTES) as number[]))
    await Promise.all([
      runTransfer(replace(product, songIds, Array(4).fill(LARGE_BYTES) as number[])),
      runTransfer(get(20, audioOf(product, songIds), 20)),
    ])
  })
  return atMost('memory over idle, 4 × 200 MiB up and 20 down', megabytes, {
    '': [Math.max(0, peak - idle), 128 * 1024 * 1024],
  })
}

/** Songs of the operator's own, which can be delivered as gifts. */
async function pendingSongs({ operator }: BenchProduct, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const { body } = await operator.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'soul' })
    ids.push(body.id)
  }
  await untilDecided(operator)
  return ids
}

/** Fulfilled as gifts with two short versions each. */
async function readySongs(product: BenchProduct, count: number): Promise<string[]> {
  const ids = await pendingSongs(product, count)
  const short = Buffer.concat([audioHead(400_044), Buffer.alloc(400_000, 0x55)])
  for (const id of ids) {
    const form = new FormData()
    for (const name of ['version1', 'version2']) form.set(name, new Blob([short]), `${name}.wav`)
    const { status } = await product.operator.send('POST', fulfilOf(id), form)
    if (status !== 200) throw new Error(`not fulfilled: ${status}`)
  }
  return ids
}

const fulfilOf = (songId: string): string => `/api/operator/songs/${songId}/fulfil?gift=true`

/** Both versions of each song as resumable uploads, which are created already, and its delivery. */
async function resume(product: BenchProduct, songs: number): Promise<Transfer> {
  const { operator, url } = product
  const { cookie } = operator
  const create = async (): Promise<string> => {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(FILE_BYTES) }
    const created = await operator.call('POST', '/api/operator/uploads', { headers })
    return created.headers.location ?? ''
  }
  const callsOf = async (songId: string): Promise<readonly Call[]> => {
    const [version1, version2] = [await create(), await create()]
    const json = JSON.stringify({ version1: idOf(version1), version2: idOf(version2) })
    return [
      ...[version1, version2].flatMap((path) => chunks().map((chunk) => patch(url + path, cookie, chunk))),
      {
        method: 'POST',
        url: url + fulfilOf(songId),
        headers: { cookie, 'content-type': 'application/json', 'content-length': json.length },
        json,
      },
    ]
  }
  const calls: (readonly Call[])[] = []
  for (const id of await pendingSongs(product, songs)) calls.push(await callsOf(id))
  return {
    atOnce: 4,
    fileHead: audioHead(FILE_BYTES).toString('base64'),
    calls,
  }
}

const idOf = (path: string): string => path.split('/').at(-1) ?? ''

const patch = (url: string, cookie: string, { offset, bytes }: { offset: number; bytes: number }): Call => ({
  method: 'PATCH',
  url,
  headers: {
    cookie,
    'tus-resumable': '1.0.0',
    'content-type': 'application/offset+octet-stream',
    'upload-offset': offset,
    'content-length': bytes,
  },
  fileBytes: bytes,
})

/** Each twice as large as the one before, as the web app sends them. */
function chunks(): { offset: number; bytes: number }[] {
  const found: { offset: number; bytes: number }[] = []
  let size = RESUMABLE_ABOVE_BYTES
  for (let offset = 0; offset < FILE_BYTES;) {
    const bytes = Math.min(size, FILE_BYTES - offset)
    found.push({ offset, bytes })
    offset += bytes
    size = Math.min(size * 2, MAX_CHUNK_BYTES)
  }
  return found
}

const replace = (product: BenchProduct, songIds: readonly string[], sizes: readonly number[]): Transfer => ({
  atOnce: 4,
  fileHead: audioHead(sizes[0] ?? 0).toString('base64'),
  calls: sizes.map((fileBytes, i) => ({
    method: 'PUT',
    url: `${product.url}/api/operator/songs/${songIds[i % songIds.length]}/versions/1`,
    headers: {
      cookie: product.operator.cookie,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': BEFORE.length + fileBytes + AFTER.length,
    },
    fileBytes,
    before: BEFORE,
    after: AFTER,
  })),
})

const put = ({ baseline }: Bench, sizes: readonly number[]): Transfer => ({
  atOnce: 4,
  fileHead: audioHead(sizes[0] ?? 0).toString('base64'),
  calls: sizes.map((fileBytes, i) => ({
    method: 'PUT',
    url: `${baseline.url}/files/${i % 4}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': fileBytes },
    fileBytes,
  })),
})

type Address = readonly [url: string, cookie: string]

const audioOf =
  ({ url, operator }: BenchProduct, songIds: readonly string[]) =>
  (n: number): Address => [`${url}/api/songs/${songIds[n % songIds.length]}/versions/1`, operator.cookie]

const get = (count: number, addressOf: (n: number) => Address, atOnce = 4): Transfer => ({
  atOnce,
  fileHead: '',
  calls: Array.from({ length: count }, (_, n) => {
    const [url, cookie] = addressOf(n)
    return { method: 'GET', url, headers: { cookie } }
  }),
})
