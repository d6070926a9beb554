import { type Bytes, flaw, millisecondsOf, unplayable, type Verdict } from './bytes.ts'
import { tooManyTags } from './limits.ts'
import { MAX_STRAY_BYTES, skipTrailingTags } from './tags.ts'

const SCAN_BYTES = 4096

interface Frame {
  readonly bytes: number
  readonly samples: number
  readonly sampleRate: number
  readonly channels: number
  /** Where a Xing or Info header would stand. */
  readonly infoOffset: number
}

/**
 * Walks all frames of an MPEG-1/2/2.5 layer III stream, whatever stands before, between and behind them. A last frame that is cut,
 * or fewer frames than the Xing header promises, means that the file is not whole.
 */
export async function readMp3(bytes: Bytes, start: number): Promise<Verdict> {
  const end = await skipTrailingTags(bytes, start)
  const excess = tooManyTags(start + bytes.size - end)
  if (excess) return flaw(excess)
  let first: Frame | undefined
  let promised: number | null = null
  let frames = 0
  let stray = 0
  let padding = 0
  let offset = start
  while (offset < end) {
    const frame = frameAt(await bytes.at(offset, 4))
    if (frame && first && frame.sampleRate === first.sampleRate) {
      if (offset + frame.bytes > end) return flaw('Its last frame is cut.')
      frames++
      offset += frame.bytes
      continue
    }
    const next = await nextFrame(bytes, first ? offset + 1 : offset, end, first)
    stray += next.stray
    padding += next.offset - offset - next.stray
    if (stray > MAX_STRAY_BYTES)
      return first ? flaw('Much of it is no MP3.') : notMp3(await bytes.at(start, 4))
    const tooMuch = tooManyTags(padding)
    if (tooMuch) return flaw(tooMuch)
    offset = next.offset
    if (first || !next.frame) continue
    first = next.frame
    promised = promisedFrames(await bytes.at(offset, first.bytes), first)
    frames = promised === null ? 1 : 0
    offset += first.bytes
  }
  if (!first) return notMp3(await bytes.at(start, 4))
  // some encoders count the header's own frame too
  if (promised !== null && frames + 1 < promised)
    return flaw(`It is cut: ${frames} frames of ${promised} are there.`)
  const { samples, sampleRate, channels } = first
  return { format: 'mp3', durationMs: millisecondsOf(frames * samples, sampleRate), sampleRate, channels }
}

/** Layer I and II, and ADTS, begin as MP3 does. */
function notMp3(head: Buffer): Verdict {
  const bits = head.length < 4 ? 0 : head.readUInt16BE(0)
  if ((bits & 0xfff6) === 0xfff0) return flaw('This is AAC without a container.')
  if ((bits & 0xffe0) === 0xffe0 && (bits & 4) !== 0) return unplayable('file', 'MPEG Layer I or II')
  return flaw('This is not an audio file.')
}

/** The next frame that another one follows, or the end; and how many bytes before it are no zeros. */
async function nextFrame(bytes: Bytes, from: number, end: number, like: Frame | undefined) {
  const window = await bytes.at(from, Math.min(SCAN_BYTES, end - from))
  const strayBefore = (length: number): number =>
    window.subarray(0, length).reduce((sum, byte) => (byte === 0 ? sum : sum + 1), 0)
  for (let i = window.indexOf(0xff); i >= 0; i = window.indexOf(0xff, i + 1)) {
    const head = i + 4 <= window.length ? window.subarray(i, i + 4) : await bytes.at(from + i, 4)
    const frame = frameAt(head)
    if (!frame || (like && frame.sampleRate !== like.sampleRate)) continue
    const after = from + i + frame.bytes
    if (after === end || frameAt(await bytes.at(after, 4))?.sampleRate === frame.sampleRate)
      return { offset: from + i, stray: strayBefore(i), frame }
  }
  return { offset: from + window.length, stray: strayBefore(window.length), frame: undefined }
}

const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const SAMPLE_RATES = [44_100, 48_000, 32_000]

function frameAt(head: Buffer): Frame | null {
  if (head.length < 4) return null
  const bits = head.readUInt32BE(0)
  if (bits >>> 21 !== 0x7ff) return null
  const version = (bits >>> 19) & 3 // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const layer = (bits >>> 17) & 3
  const bitrate = (version === 3 ? BITRATES_1 : BITRATES_2)[(bits >>> 12) & 15]
  const fullRate = SAMPLE_RATES[(bits >>> 10) & 3]
  if (version === 1 || layer !== 1 || !bitrate || fullRate === undefined) return null
  const sampleRate = fullRate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const samples = version === 3 ? 1152 : 576
  const mono = ((bits >>> 6) & 3) === 3
  const sideInfo = version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17
  return {
    bytes: Math.floor((samples * bitrate * 125) / sampleRate) + ((bits >>> 9) & 1),
    samples,
    sampleRate,
    channels: mono ? 1 : 2,
    infoOffset: 4 + sideInfo,
  }
}

/** The number of frames that a Xing, Info or VBRI header names; such a frame holds no audio. Null without a header. */
function promisedFrames(frame: Buffer, { infoOffset }: Frame): number | null {
  const name = frame.toString('latin1', infoOffset, infoOffset + 4)
  if ((name === 'Xing' || name === 'Info') && frame.length >= infoOffset + 12) {
    const hasCount = (frame.readUInt32BE(infoOffset + 4) & 1) !== 0
    return hasCount ? frame.readUInt32BE(infoOffset + 8) : 0
  }
  if (frame.toString('latin1', 36, 40) === 'VBRI' && frame.length >= 54) return frame.readUInt32BE(50)
  return null
}
