import { Song } from '@prelude/contracts'
import { replyText } from '@prelude/platform'
import { presentOpen } from './routes/present.ts'
import type { SongRecord, SongVersion } from './store/song.ts'

const MOST_CHARACTERS = 8_000_000

type Known = ReadonlyMap<string, { readonly revision: number; readonly text: string }>

export interface SongTexts {
  /** As JSON, each at its revision; null when one of them is not known. */
  of(songs: readonly SongVersion[]): readonly string[] | null
  /** Writes a song, for whoever lists it next. */
  write(song: SongRecord): string
  /** Lets go of what nobody has listed since it was called last. */
  tidy(): void
}

/**
 * Songs as their owners read them, as JSON. Every change of a song is a new revision, so an id and a revision stand for one
 * text for ever: a list asks the table for these two, and what was shown a moment ago is neither read nor written again.
 */
export function createSongTexts(mostCharacters = MOST_CHARACTERS): SongTexts {
  const textOf = replyText(Song)
  // two halves: what is still listed moves into the younger one, the older one is dropped whole
  let young = new Map<string, { revision: number; text: string }>()
  let old: Known = new Map()
  let characters = 0

  const tidy = (): void => {
    old = young
    young = new Map()
    characters = 0
  }
  const keep = (id: string, known: { revision: number; text: string }): void => {
    if (characters + known.text.length > mostCharacters / 2) tidy()
    characters += known.text.length
    young.set(id, known)
  }
  return {
    of: (songs) => {
      const texts: string[] = []
      for (const { id, revision } of songs) {
        const listed = young.get(id)
        const known = listed ?? old.get(id)
        if (known?.revision !== revision) return null
        if (!listed) keep(id, known)
        texts.push(known.text)
      }
      return texts
    },
    write: (song) => {
      const text = textOf(presentOpen(song))
      keep(song.id, { revision: song.revision, text })
      return text
    },
    tidy,
  }
}
