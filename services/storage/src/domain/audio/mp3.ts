import { type Bytes, flaw, playsFor, type Verdict } from './bytes.ts'
import { tooManyTags } from './limits.ts'
import { skipLeadingTags, skipTrailingTags } from './tags.ts'

/** Between and behind the frames; more means that the size does not fit the bitrate. */
const MAX_STRAY_BYTES = 64 * 1024
const SCAN_BYTES = 4096

interface Frame {
  readonly bytes: number
  readonly samples: number
  readonly sampleRate: number
  /** Where a Xing or Info header would stand. */
  readonly infoOffset: number
}

/**
 * Walks all frames of an MPEG-1/2/2.5 layer III stream. A last frame that is cut, or fewer frames than the Xing header
 * promises, means that the file is not whole.
 */
export async function readMp3(bytes: Bytes): Promise<Verdict> {
  const start = await skipLeadingTags(bytes)
  const end = await skipTrailingTags(bytes, start)
  const excess = tooManyTags(start + bytes.size - end)
  if (excess) return flaw(excess)
  let first: Frame | undefined
  let promised: number | null = null
  let frames = 0
  let stray = 0
  let offset = start
  while (offset < end) {
    const frame = frameAt(await bytes.at(offset, 4))
    if (frame && (!first || frame.sampleRate === first.sampleRate)) {
      if (offset + frame.bytes > end) return flaw('the last frame is cut')
      if (!first) {
        first = frame
        promised = promisedFrames(await bytes.at(offset, frame.bytes), frame)
        if (promised === null) frames = 1
      } else frames++
      offset += frame.bytes
      continue
    }
    const next = await nextFrame(bytes, offset + 1, end, first)
    stray += next - offset
    if (stray > MAX_STRAY_BYTES) return flaw('much of it is no MPEG audio')
    offset = next
  }
  if (!first) return flaw('there is no MPEG audio frame')
  // some encoders count the header's own frame too
  if (promised !== null && frames + 1 < promised) return flaw(`${frames} frames of ${promised}`)
  return playsFor(frames * first.samples, first.sampleRate)
}

/** The next frame that another one follows, or the end. */
async function nextFrame(bytes: Bytes, from: number, end: number, like: Frame | undefined): Promise<number> {
  const window = await bytes.at(from, Math.min(SCAN_BYTES, end - from))
  for (let i = window.indexOf(0xff); i >= 0; i = window.indexOf(0xff, i + 1)) {
    const head = i + 4 <= window.length ? window.subarray(i, i + 4) : await bytes.at(from + i, 4)
    const frame = frameAt(head)
    if (!frame || (like && frame.sampleRate !== like.sampleRate)) continue
    const after = from + i + frame.bytes
    if (after === end || frameAt(await bytes.at(after, 4))?.sampleRate === frame.sampleRate) return from + i
  }
  return from + window.length
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
