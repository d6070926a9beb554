import peaks from './peaks.json' with { type: 'json' }

export interface Sample {
  readonly artist: string
  readonly style: string
  readonly lyrics: string
  readonly takes: readonly {
    readonly name: 'A' | 'B'
    readonly src: string
    readonly seconds: number
    readonly peaks: readonly number[]
  }[]
}

const take = (file: keyof typeof peaks, name: 'A' | 'B') => ({
  name,
  src: `/samples/${file}.mp3`,
  ...peaks[file],
})

/** The two sample artists of the landing page; the music is made by `web/samples`. */
export const SAMPLES: readonly Sample[] = [
  {
    artist: 'Temi Ade',
    style: 'Afro-fusion · 96 bpm · kalimba, log drum, warm bass',
    lyrics: 'Lagos light on the water, carry me slow, every road that I borrowed is calling me home',
    takes: [take('temi-a', 'A'), take('temi-b', 'B')],
  },
  {
    artist: 'Jonah Reyes',
    style: 'Gospel soul · 72 bpm · organ, choir pad, brushed drums',
    lyrics: 'I was counting my losses when morning came in, laid its hand on my shoulder, said child, begin',
    takes: [take('jonah-a', 'A'), take('jonah-b', 'B')],
  },
]
