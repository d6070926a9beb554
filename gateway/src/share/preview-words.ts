export interface PreviewWords {
  readonly songBy: (artist: string | null) => string
  readonly drawing: string
}

/** The texts of a preview in each language of the web app; messengers run no scripts, so they cannot be its own. */
const WORDS: ReadonlyMap<string, PreviewWords> = new Map([
  ['en', { songBy: by('A song', 'by'), drawing: 'A drawn cover' }],
  ['fr', { songBy: by('Une chanson', 'signée'), drawing: 'Une pochette dessinée' }],
  ['pt', { songBy: by('Uma música', 'de'), drawing: 'Uma capa desenhada' }],
])

function by(song: string, preposition: string): PreviewWords['songBy'] {
  return (artist) => (artist === null ? song : `${song} ${preposition} ${artist}`)
}

/** In the language that an `accept-language` header prefers; English where it names no language of the app. */
export function previewWords(acceptLanguage = ''): PreviewWords {
  const [preferred = 'en'] = acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return {
        language: tag.split('-', 1)[0] ?? '',
        weight: weight === undefined ? 1 : Number(weight.slice(2)),
      }
    })
    .filter(({ language, weight }) => WORDS.has(language) && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ language }) => language)
  return WORDS.get(preferred) as PreviewWords
}
