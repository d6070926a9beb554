import { type Bytes, flaw, type Verdict } from './bytes.ts'
import { MAX_CHUNKS, tooManyTags } from './limits.ts'

/** Containers of the boxes that are read. */
const FOLDERS = new Set(['trak', 'mdia', 'minf', 'stbl'])

interface Track {
  handler: string
  durationMs: number
  sampleBytes: number
}

/** MPEG-4 audio: every box must be there to its last byte, and the samples of the audio track must fit into the data. */
export async function readMp4(bytes: Bytes): Promise<Verdict> {
  const names = new Set<string>()
  let tracks: Track[] = []
  let dataBytes = 0
  let offset = 0
  for (let boxes = 0; offset < bytes.size; boxes++) {
    if (boxes > MAX_CHUNKS) return flaw('it has too many boxes')
    const head = await bytes.at(offset, 16)
    const box = boxOf(head, 0, bytes.size - offset)
    if (!box || offset + box.size > bytes.size) return flaw('a box is cut')
    names.add(box.name)
    if (box.name === 'mdat') dataBytes += box.size - box.headBytes
    const excess = tooManyTags(offset + box.size - dataBytes)
    if (excess) return flaw(excess)
    if (box.name === 'moov') {
      tracks = tracksOf((await bytes.at(offset, box.size)).subarray(box.headBytes))
    }
    offset += box.size
  }
  if (!['ftyp', 'moov', 'mdat'].every((name) => names.has(name)))
    return flaw('its index or its data is missing')
  if (tracks.some(({ handler }) => handler === 'vide')) return flaw('it holds video')
  const audio = tracks.find(({ handler }) => handler === 'soun')
  if (!audio) return flaw('it holds no audio track')
  if (audio.sampleBytes > dataBytes) return flaw('samples are missing')
  return { durationMs: audio.durationMs > 0 ? Math.round(audio.durationMs) : null, sampleRate: null }
}

function boxOf(
  buffer: Buffer,
  at: number,
  rest: number,
): { name: string; size: number; headBytes: number } | null {
  if (buffer.length < at + 8) return null
  const name = buffer.toString('latin1', at + 4, at + 8)
  const size = buffer.readUInt32BE(at)
  if (size === 0) return { name, size: rest, headBytes: 8 }
  if (size !== 1) return size < 8 ? null : { name, size, headBytes: 8 }
  if (buffer.length < at + 16) return null
  const large = Number(buffer.readBigUInt64BE(at + 8))
  return large < 16 ? null : { name, size: large, headBytes: 16 }
}

function tracksOf(moov: Buffer): Track[] {
  const tracks: Track[] = []
  readBoxes(moov, tracks)
  return tracks
}

function readBoxes(buffer: Buffer, tracks: Track[]): void {
  for (let at = 0; at < buffer.length;) {
    const box = boxOf(buffer, at, buffer.length - at)
    if (!box) return
    const content = buffer.subarray(at + box.headBytes, at + box.size)
    if (box.name === 'trak') tracks.push({ handler: '', durationMs: 0, sampleBytes: 0 })
    const track = tracks.at(-1)
    if (FOLDERS.has(box.name)) readBoxes(content, tracks)
    else if (track && content.length >= 20) readLeaf(box.name, content, track)
    at += box.size
  }
}

function readLeaf(name: string, content: Buffer, track: Track): void {
  if (name === 'hdlr' && track.handler === '') track.handler = content.toString('latin1', 8, 12)
  if (name === 'mdhd') {
    const long = content[0] === 1 && content.length >= 32
    const timescale = content.readUInt32BE(long ? 20 : 12)
    const duration = long ? Number(content.readBigUInt64BE(24)) : content.readUInt32BE(16)
    if (timescale > 0) track.durationMs = (duration / timescale) * 1000
  }
  if (name === 'stsz') track.sampleBytes = sampleBytes(content)
}

function sampleBytes(stsz: Buffer): number {
  if (stsz.length < 12) return 0
  const each = stsz.readUInt32BE(4)
  const count = stsz.readUInt32BE(8)
  if (each > 0) return each * count
  let sum = 0
  for (let at = 12; at + 4 <= stsz.length && at < 12 + count * 4; at += 4) sum += stsz.readUInt32BE(at)
  return sum
}
