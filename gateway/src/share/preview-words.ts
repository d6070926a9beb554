import { type Language, preferredLanguage } from '@prelude/contracts'

export interface PreviewWords {
  readonly songBy: (artist: string | null) => string
  readonly drawing: string
}

/** The texts of a preview in each language of the web app; messengers run no scripts, so they cannot be its own. */
const WORDS: Readonly<Record<Language, PreviewWords>> = {
  en: { songBy: by('A song', 'by'), drawing: 'A drawn cover' },
  fr: { songBy: by('Une chanson', 'signée'), drawing: 'Une pochette dessinée' },
  pt: { songBy: by('Uma música', 'de'), drawing: 'Uma capa desenhada' },
}

function by(song: string, preposition: string): PreviewWords['songBy'] {
  return (artist) => (artist === null ? song : `${song} ${preposition} ${artist}`)
}

/** In the language that an `accept-language` header prefers; English where it names no language of the app. */
export const previewWords = (acceptLanguage?: string): PreviewWords =>
  WORDS[preferredLanguage(acceptLanguage) ?? 'en']
