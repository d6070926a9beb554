import { readFile } from 'node:fs/promises'

/** Mono tones of 1.6 s made by the usual encoders. */
export const FIXTURES = [
  ['cbr.mp3', 'mp3', 'audio/mpeg'],
  ['vbr.mp3', 'mp3', 'audio/mpeg'],
  ['tagged.mp3', 'mp3', 'audio/mpeg'],
  ['pcm16.wav', 'wav', 'audio/wav'],
  ['tone.flac', 'flac', 'audio/flac'],
  ['tone.m4a', 'm4a', 'audio/mp4'],
  ['faststart.m4a', 'm4a', 'audio/mp4'],
  ['vorbis.ogg', 'ogg', 'audio/ogg'],
  ['tone.opus', 'opus', 'audio/ogg'],
] as const

export type Fixture = (typeof FIXTURES)[number][0]

export const fixture = (name: Fixture): Promise<Buffer<ArrayBuffer>> =>
  readFile(new URL(`fixtures/${name}`, import.meta.url))

/** A WAV of silence with this many bytes in all (8-bit mono, 8 kHz). */
export function silentWav(sizeBytes: number): Buffer {
  const wav = Buffer.alloc(sizeBytes)
  wavHead(sizeBytes).copy(wav)
  return wav.fill(128, 44)
}

/** The 44 bytes before the data of such a file. */
export function wavHead(sizeBytes: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(sizeBytes - 8, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(sizeBytes - 44, 40)
  return head
}

/** A WAV of this size, made while it is read. */
export function* largeWav(sizeBytes: number): Generator<Buffer> {
  yield wavHead(sizeBytes)
  const chunkBytes = 1024 * 1024
  for (let left = sizeBytes - 44; left > 0; left -= chunkBytes)
    yield Buffer.alloc(Math.min(left, chunkBytes), 128)
}

/** An MP3 of plain frames without any header with their number (128 kbit/s, 44.1 kHz, silence). */
export function plainMp3(frames: number): Buffer {
  const frame = Buffer.alloc(417)
  frame.writeUInt32BE(0xfffb9000, 0)
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}
