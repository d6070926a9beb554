import { isRareCoding } from '@prelude/contracts'
import { useEffect, useState } from 'react'
import type { Measures } from './measure.ts'
import type { Recording } from './measure-worker.ts'

/** That of most recordings, which are then measured as they are. */
const SAMPLE_RATE = 44_100
/** A file that is larger once it is decoded, to 32 bits a sample, is judged by the server alone. */
const MAX_DECODED_BYTES = 400 * 1024 * 1024
/** How much larger: a WAV file has 16 bits or more a sample, others are compressed. */
const decodedBytes = ({ size, type }: File): number => size * (/wav/.test(type) ? 2 : 20)

/** Some browsers never end decoding some files. */
const CHECK_LIMIT_MS = 30_000

const within = <T>(work: Promise<T>): Promise<T | null> =>
  Promise.race([work, new Promise<null>((resolve) => setTimeout(resolve, CHECK_LIMIT_MS, null))])

const measured = new WeakMap<File, Promise<Measures | null>>()

/** Null: this browser cannot decode it, or not in time. */
function measuresOf(file: File): Promise<Measures | null> {
  const known = measured.get(file) ?? within(decodeAndMeasure(file)).catch(() => null)
  measured.set(file, known)
  return known
}

async function decodeAndMeasure(file: File): Promise<Measures | null> {
  if (decodedBytes(file) > MAX_DECODED_BYTES) return null
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE)
  const audio = await context.decodeAudioData(await file.arrayBuffer())
  const channels = Array.from({ length: audio.numberOfChannels }, (_one, n) =>
    audio.getChannelData(n).slice(),
  )
  const worker = new Worker(new URL('measure-worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise<Measures>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Measures>) => resolve(data))
      worker.addEventListener('error', reject)
      const recording: Recording = { channels, sampleRate: audio.sampleRate }
      worker.postMessage(
        recording,
        channels.map(({ buffer }) => buffer),
      )
    })
  } finally {
    worker.terminate()
  }
}

async function haveSameContent(one: File, two: File): Promise<boolean> {
  if (one.size !== two.size) return false
  const [a, b] = await Promise.all(
    [one, two].map(async (file) => {
      const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
      return new Uint8Array(hash).toString()
    }),
  )
  return a === b
}

async function isRare(file: File): Promise<boolean> {
  const [head = '', tail = ''] = await Promise.all(
    [file.slice(0, 65_536), file.slice(-1_048_576)].map(async (part) =>
      new TextDecoder('latin1').decode(await part.arrayBuffer()),
    ),
  )
  return isRareCoding(head, tail)
}

/** The result of `work` about these inputs; undefined until it is known. */
function useResult<Input, T>(inputs: readonly Input[], work: () => Promise<T>): T | undefined {
  const [result, setResult] = useState<{ inputs: readonly Input[]; value: T }>()
  useEffect(() => {
    let isCurrent = true
    void work().then((value) => isCurrent && setResult({ inputs, value }))
    return () => void (isCurrent = false)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `work` depends on the inputs alone
  }, inputs)
  return result?.inputs.every((input, i) => input === inputs[i]) ? result.value : undefined
}

export interface Checks {
  /** By version; null without a file or where it cannot be checked, undefined until known. */
  readonly measures: readonly [Measures | null | undefined, Measures | null | undefined]
  /** By version: whether this browser cannot decode it. */
  readonly areUnreadable: readonly [boolean, boolean]
  readonly areSame: boolean | undefined
  /** By version: whether some browsers cannot play its coding. */
  readonly areRare: readonly [boolean | undefined, boolean | undefined]
}

export function useChecks([one, two]: readonly [File | null, File | null]): Checks {
  const of = (file: File | null) => () => (file ? measuresOf(file) : Promise.resolve(null))
  const first = useResult([one], of(one))
  const second = useResult([two], of(two))
  const areSame = useResult([one, two], async () =>
    one && two ? ((await within(haveSameContent(one, two)).catch(() => null)) ?? false) : false,
  )
  const rare = (file: File | null) => async () => (file ? isRare(file).catch(() => false) : false)
  const firstRare = useResult([one], rare(one))
  const secondRare = useResult([two], rare(two))
  return {
    measures: [first, second],
    areUnreadable: [one !== null && first === null, two !== null && second === null],
    areSame,
    areRare: [firstRare, secondRare],
  }
}

/** Until all of it is known. */
export const isChecking = ({ measures, areSame, areRare }: Checks): boolean =>
  [...measures, areSame, ...areRare].includes(undefined)
