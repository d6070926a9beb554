import { peakBytes, residentBytes } from '../process.ts'
import type { Ours } from '../product.ts'
import { runTransfer, type Transfer, wavHead } from '../transfer.ts'
import { type Bench, inTurn, megabytes, type Row, type Work } from '../work.ts'

const MB = 1_000_000
const FILE_BYTES = 5 * MB
const LARGE_BYTES = 200 * 1024 * 1024
const FILES = 60
const BOUNDARY = 'prelude-bench'
const BEFORE = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="take.wav"\r\ncontent-type: audio/wav\r\n\r\n`
const AFTER = `\r\n--${BOUNDARY}--\r\n`

/** Files up and down: 5 MB each, four at once; and what large ones do to the memory. */
export const audio: Work = {
  name: 'audio',
  run: async (bench) => {
    const { ours } = bench
    const songIds = await readySongs(ours, 4)
    const uploads = await inTurn({
      bare: () => runTransfer(put(bench, Array(FILES).fill(FILE_BYTES) as number[])),
      ours: () => runTransfer(replace(ours, songIds, Array(FILES).fill(FILE_BYTES) as number[])),
    })
    const downloads = await inTurn({
      bare: () =>
        runTransfer(
          get(
            4,
            Array.from({ length: FILES * 4 }, (_, i) => [`${bench.bare.url}/files/${i % 4}`, ''] as const),
          ),
        ),
      ours: () => runTransfer(get(4, audioOf(ours, songIds, FILES * 4))),
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
  measured: { ours: { perSecond: number }; bare: number; ratio: number },
  goal: number,
): Row => ({
  work,
  ours: `${megabytes(measured.ours.perSecond)}/s`,
  bare: `${megabytes(measured.bare)}/s`,
  ratio: measured.ratio,
  goal: `≥ ${goal}`,
  met: measured.ratio >= goal,
})

/** Four files of 200 MiB go up while twenty come down. */
async function memory({ ours }: Bench, songIds: readonly string[]): Promise<Row> {
  const { pid } = ours.product.endpoints
  const idle = await residentBytes(pid)
  const { peak } = await peakBytes(pid, async () => {
    await runTransfer(replace(ours, songIds, Array(4).fill(LARGE_BYTES) as number[]))
    await Promise.all([
      runTransfer(replace(ours, songIds, Array(4).fill(LARGE_BYTES) as number[])),
      runTransfer(get(20, audioOf(ours, songIds, 20))),
    ])
  })
  const over = peak - idle
  return {
    work: 'memory over idle, 4 × 200 MiB up and 20 down',
    ours: megabytes(Math.max(0, over)),
    goal: '≤ 128 MiB',
    met: over <= 128 * 1024 * 1024,
  }
}

/** Songs of the operator's own, as gifts, with two short versions each. */
async function readySongs(ours: Ours, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { body } = await ours.operator.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'soul' })
    ids.push(body.id)
  }
  const short = Buffer.concat([wavHead(400_044), Buffer.alloc(400_000, 0x55)])
  for (const id of ids) {
    const form = new FormData()
    for (const name of ['version1', 'version2']) form.set(name, new Blob([short]), `${name}.wav`)
    const path = `/api/operator/songs/${id}/fulfil?gift=true`
    const fulfil = () => ours.operator.send('POST', path, form)
    let answer = await fulfil()
    while (answer.status === 409) answer = await fulfil() // its charge is still being decided
    if (answer.status !== 200) throw new Error(`not fulfilled: ${answer.status}`)
  }
  return ids
}

const replace = (ours: Ours, songIds: readonly string[], sizes: readonly number[]): Transfer => ({
  atOnce: 4,
  fileHead: wavHead(sizes[0] ?? 0).toString('base64'),
  calls: sizes.map((fileBytes, i) => ({
    method: 'PUT',
    url: `${ours.url}/api/operator/songs/${songIds[i % songIds.length]}/versions/1`,
    headers: {
      cookie: ours.operator.cookie,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': BEFORE.length + fileBytes + AFTER.length,
    },
    fileBytes,
    before: BEFORE,
    after: AFTER,
  })),
})

const put = ({ bare }: Bench, sizes: readonly number[]): Transfer => ({
  atOnce: 4,
  fileHead: wavHead(sizes[0] ?? 0).toString('base64'),
  calls: sizes.map((fileBytes, i) => ({
    method: 'PUT',
    url: `${bare.url}/files/${i % 4}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': fileBytes },
    fileBytes,
  })),
})

const audioOf = (ours: Ours, songIds: readonly string[], count: number): (readonly [string, string])[] =>
  Array.from(
    { length: count },
    (_, i) =>
      [`${ours.url}/api/songs/${songIds[i % songIds.length]}/versions/1`, ours.operator.cookie] as const,
  )

const get = (atOnce: number, addresses: readonly (readonly [url: string, cookie: string])[]): Transfer => ({
  atOnce,
  fileHead: '',
  calls: addresses.map(([url, cookie]) => ({ method: 'GET', url, headers: { cookie } })),
})
