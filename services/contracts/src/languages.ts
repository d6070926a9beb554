/** The languages of the app, by their tags; each has texts of pages, previews and mails. */
export const LANGUAGES = ['en', 'fr', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

/** The language that an `accept-language` header prefers; null where it names none of the app. */
export function preferredLanguage(acceptLanguage = ''): Language | null {
  const [preferred] = acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return {
        language: LANGUAGES.find((language) => language === tag.split('-', 1)[0]),
        weight: weight === undefined ? 1 : Number(weight.slice(2)),
      }
    })
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return preferred?.language ?? null
}
