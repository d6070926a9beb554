import lagoon from './lagoon.svg'
import organ from './organ.svg'
import peaks from './peaks.json' with { type: 'json' }

/** A sample artist of the landing page. Content, not UI text: not translated. */
export interface Sample {
  readonly artist: string
  readonly style: string
  /** Excerpt, with line breaks as sung. */
  readonly lyrics: string
  /** Address of its picture, a square. */
  readonly cover: string
  readonly takes: readonly {
    readonly name: 'A' | 'B'
    readonly src: string
    /** How this take differs from the other. */
    readonly note: string
    readonly seconds: number
    readonly peaks: number[]
  }[]
}

const take = (file: keyof typeof peaks, name: 'A' | 'B', note: string) => ({
  name,
  note,
  src: `/samples/${file}.mp3`,
  ...peaks[file],
})

/** The two sample artists of the landing page; the audio is rendered by `web/samples`. */
export const SAMPLES: readonly Sample[] = [
  {
    artist: 'Temi Ade',
    style: 'Afro-fusion · 96 bpm · kalimba, log drum, warm bass',
    lyrics: '“Lagos light on the water,\ncarry me slow,\nevery road that I borrowed\nis calling me home”',
    cover: lagoon,
    takes: [
      take('temi-a', 'A', 'kalimba, log drum, 96 bpm'),
      take('temi-b', 'B', 'nylon guitar, strings, 84 bpm'),
    ],
  },
  {
    artist: 'Jonah Reyes',
    style: 'Gospel soul · 72 bpm · organ, choir pad, brushed drums',
    lyrics:
      '“I was counting my losses\nwhen morning came in,\nlaid its hand on my shoulder,\nsaid child, begin”',
    cover: organ,
    takes: [
      take('jonah-a', 'A', 'organ, brushes, choir, 72 bpm'),
      take('jonah-b', 'B', 'piano and cello, 66 bpm'),
    ],
  },
]
