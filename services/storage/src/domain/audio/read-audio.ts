import { type Bytes, flaw, type Verdict } from './bytes.ts'
import { readFlac } from './flac.ts'
import { tooManyTags } from './limits.ts'
import { readMp3 } from './mp3.ts'
import { readMp4 } from './mp4.ts'
import { readOgg } from './ogg.ts'
import { skipLeadingTags } from './tags.ts'
import { readWav } from './wav.ts'

/**
 * The format of a file by its content behind any tags, never by its name or declared type; what begins like no other format may be
 * MPEG audio, whose first frame is looked for.
 */
export async function readAudio(bytes: Bytes): Promise<Verdict> {
  const start = await skipLeadingTags(bytes)
  const excess = tooManyTags(start)
  if (excess) return flaw(excess)
  const head = (await bytes.at(start, 16)).toString('latin1')
  if (/^(RIFF|RF64|BW64)[^]{4}WAVE/.test(head)) return readWav(bytes, start)
  if (head.startsWith('fLaC')) return readFlac(bytes, start)
  if (head.startsWith('OggS')) return readOgg(bytes, start)
  if (head.slice(4, 8) === 'ftyp') return readMp4(bytes, start)
  const other = OTHERS.find(([magic]) => head.startsWith(magic))
  return other ? flaw(`This is ${other[1]}.`) : readMp3(bytes, start)
}

const OTHERS: readonly (readonly [magic: string, name: string])[] = [
  ['FORM', 'AIFF'],
  ['0&\u00b2u\u008ef\u00cf\u0011', 'Windows Media'],
  ['caff', "a file of Apple's Core Audio (CAF)"],
  ['riff', 'a WAV of 64 bits by Sony (W64)'],
  ['wvpk', 'WavPack'],
  ['MAC ', "Monkey's Audio"],
  ['TTA', 'True Audio'],
  ['.snd', 'Sun audio (AU)'],
  ['\u000bw', 'Dolby Digital (AC-3)'],
  ['#!AMR', 'AMR'],
  ['MThd', 'MIDI, which holds notes and no sound'],
  ['DSD ', 'DSD'],
  ['FRM8', 'DSD'],
  ['\u001aE\u00df\u00a3', 'WebM or Matroska'],
  ['PK', 'a ZIP'],
  ['<', 'a web page'],
]
