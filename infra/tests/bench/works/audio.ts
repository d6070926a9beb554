import { peakBytes, residentBytes } from '../process.ts'
import type { BenchProduct } from '../product.ts'
import { runTransfer, type Transfer, wavHead } from '../transfer.ts'
import { type Bench, inTurn, megabytes, type Row, type Work } from '../work.ts'

const MB = 1_000_000
const FILE_BYTES = 5 * MB
const LARGE_BYTES = 200 * 1024 * 1024
const FILES = 60
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
      baseline: () => runTransfer(put(bench, Array(FILES).fill(FILE_BYTES) as number[])),
      product: () => runTransfer(replace(product, songIds, Array(FILES).fill(FILE_BYTES) as number[])),
      rounds: TRANSFER_ROUNDS,
    })
    const downloads = await inTurn({
      baseline: () =>
        runTransfer(
          get(
            4,
            Array.from(
              { length: FILES * 4 },
              (_, i) => [`${bench.baseline.url}/files/${i % 4}`, ''] as const,
            ),
          ),
        ),
      product: () => runTransfer(get(4, audioOf(product, songIds, FILES * 4))),
      rounds: TRANSFER_ROUNDS,
    })
    return [
      rate('upload of 5 MB, four at once', uploads, 0.8),
      rate('download of 5 MB, four at once', downloads, 0.9),
      await memory(bench, songIds),
    ]
  },
}

const rate = (
  work: string,
  measured: { product: { perSecond: number }; baseline: number; ratio: number },
  goal: number,
): Row => ({
  work,
  product: `${megabytes(measured.product.perSecond)}/s`,
  baseline: `${megabytes(measured.baseline)}/s`,
  ratio: measured.ratio,
  goal: `≥ ${goal}`,
  met: measured.ratio >= goal,
})

/** Memory during four uploads of 200 MiB beside twenty downloads. */
async function memory({ product }: Bench, songIds: readonly string[]): Promise<Row> {
  const { pid } = product.process.endpoints
  const idle = await residentBytes(pid)
  const { peak } = await peakBytes(pid, async () => {
    await runTransfer(replace(product, songIds, Array(4).fill(LARGE_BYTES) as number[]))
    await Promise.all([
      runTransfer(replace(product, songIds, Array(4).fill(LARGE_BYTES) as number[])),
      runTransfer(get(20, audioOf(product, songIds, 20))),
    ])
  })
  const over = peak - idle
  return {
    work: 'memory over idle, 4 × 200 MiB up and 20 down',
    product: megabytes(Math.max(0, over)),
    goal: '≤ 128 MiB',
    met: over <= 128 * 1024 * 1024,
  }
}

/** The operator's own songs, fulfilled as gifts with two short versions each. */
async function readySongs(product: BenchProduct, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { body } = await product.operator.post<{ id: string }>('/api/songs', {
      lyrics: 'la',
      style: 'soul',
    })
    ids.push(body.id)
  }
  const short = Buffer.concat([wavHead(400_044), Buffer.alloc(400_000, 0x55)])
  for (const id of ids) {
    const form = new FormData()
    for (const name of ['version1', 'version2']) form.set(name, new Blob([short]), `${name}.wav`)
    const path = `/api/operator/songs/${id}/fulfil?gift=true`
    const fulfil = () => product.operator.send('POST', path, form)
    let answer = await fulfil()
    while (answer.status === 409) answer = await fulfil() // its charge is still being decided
    if (answer.status !== 200) throw new Error(`not fulfilled: ${answer.status}`)
  }
  return ids
}

const replace = (product: BenchProduct, songIds: readonly string[], sizes: readonly number[]): Transfer => ({
  atOnce: 4,
  fileHead: wavHead(sizes[0] ?? 0).toString('base64'),
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
  fileHead: wavHead(sizes[0] ?? 0).toString('base64'),
  calls: sizes.map((fileBytes, i) => ({
    method: 'PUT',
    url: `${baseline.url}/files/${i % 4}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': fileBytes },
    fileBytes,
  })),
})

const audioOf = (
  product: BenchProduct,
  songIds: readonly string[],
  count: number,
): (readonly [string, string])[] =>
  Array.from(
    { length: count },
    (_, i) =>
      [
        `${product.url}/api/songs/${songIds[i % songIds.length]}/versions/1`,
        product.operator.cookie,
      ] as const,
  )

const get = (atOnce: number, addresses: readonly (readonly [url: string, cookie: string])[]): Transfer => ({
  atOnce,
  fileHead: '',
  calls: addresses.map(([url, cookie]) => ({ method: 'GET', url, headers: { cookie } })),
})
