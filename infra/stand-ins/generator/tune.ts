import { wavHead } from './wav.ts'

/** Tunes as 16-bit stereo WAV, the same for the same seed. */

const RATE = 44_100
const FORMAT = { rate: RATE, channels: 2, bits: 16 }
const HEADER_BYTES = 44
const FRAME_BYTES = 4
const NOTE_SECONDS = 0.375
const NOTES = 16
/** Pentatonic, so that any order of notes sounds well. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16]
const BASE_HZ = 220

export function tune(seed: number): Buffer<ArrayBuffer> {
  const frames = Math.round(NOTES * NOTE_SECONDS * RATE)
  const wav = Buffer.alloc(HEADER_BYTES + frames * FRAME_BYTES)
  wavHead(wav.length, FORMAT).copy(wav)
  play(wav, { seed, from: 0, to: frames, dataAt: HEADER_BYTES })
  return wav
}

/** Audio of the same length, with other notes from `start` to `end` where it is a WAV as above. */
export function repaint(again: { audio: Buffer; start: number; end: number }, seed: number): Buffer {
  const { audio, start, end } = again
  const isOurs =
    audio.length > HEADER_BYTES && audio.subarray(0, HEADER_BYTES).equals(wavHead(audio.length, FORMAT))
  if (!isOurs) return audio
  const wav = Buffer.from(audio)
  const frameAt = (seconds: number): number =>
    Math.min(framesOf(audio), Math.max(0, Math.round(seconds * RATE)))
  play(wav, { seed, from: frameAt(start), to: frameAt(end), dataAt: HEADER_BYTES })
  return wav
}

const framesOf = (wav: Buffer): number => Math.floor((wav.length - HEADER_BYTES) / FRAME_BYTES)

interface Part {
  readonly seed: number
  /** Frames. */
  readonly from: number
  readonly to: number
  readonly dataAt: number
}

/** Writes a melody: each note two partials that fade. */
function play(wav: Buffer, { seed, from, to, dataAt }: Part): void {
  const random = randomOf(seed)
  const noteFrames = Math.round(NOTE_SECONDS * RATE)
  for (let at = from; at < to; at += noteFrames) {
    const hz = BASE_HZ * 2 ** ((SCALE[Math.floor(random() * SCALE.length)] ?? 0) / 12)
    for (let frame = at; frame < Math.min(at + noteFrames, to); frame++) {
      const seconds = (frame - at) / RATE
      const phase = 2 * Math.PI * hz * seconds
      const loudness = 0.5 * Math.min(1, seconds * 100) * Math.exp(-4 * seconds)
      const sample = Math.round(32_767 * loudness * (0.8 * Math.sin(phase) + 0.2 * Math.sin(2 * phase)))
      wav.writeInt16LE(sample, dataAt + frame * FRAME_BYTES)
      wav.writeInt16LE(sample, dataAt + frame * FRAME_BYTES + 2)
    }
  }
}

/** Numbers from 0 to 1 by a seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
