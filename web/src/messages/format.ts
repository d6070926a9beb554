const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const NO_BREAK = '\u00a0'
const MEGABYTE = 1_048_576

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Numbers, times and plurals as a language writes them. `locale` is a BCP 47 tag. */
export function formatsFor(locale: string) {
  // each is made when it is first used: together they are a good part of what a slow phone does before it paints
  const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
  const credits = once(() => new Intl.NumberFormat(locale, { ...two, useGrouping: false }))
  const whole = once(() => new Intl.NumberFormat(locale))
  const tenth = once(
    () => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  )
  const when = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  const day = once(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }))
  const month = once(() => new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' }))
  const hour = once(() => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }))
  const time = once(() => new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }))
  const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))
  const plurals = once(() =>
    [0, 2].map((digits) => new Intl.PluralRules(locale, { minimumFractionDigits: digits })),
  )
  return {
    /** Two decimals and no thousands separator: `25.00`. */
    credits: (value: number): string => credits().format(value),
    /** `37,000`. */
    whole: (value: number): string => whole().format(value),
    /** Bytes as whole kB or tenths of a MB, with the names the language has for them. */
    size: (bytes: number, kilo: string, mega: string): string =>
      bytes < MEGABYTE
        ? `${whole().format(Math.ceil(bytes / 1024))} ${kilo}`
        : `${tenth().format(bytes / MEGABYTE)} ${mega}`,
    /** Seconds, whole, from a minute on minutes: `40 s`, `3 min`. */
    span: (seconds: number): string =>
      seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`,
    /** An amount of money in any currency, two decimals: `25.00 USD`. */
    money: (value: number, currency: string): string => `${credits().format(value)} ${currency}`,
    /** Day and time of milliseconds since the epoch; where there is no room for a line, it breaks between the two. */
    when(at: number): string {
      const parts = when().formatToParts(at)
      const hour = parts.findIndex(({ type }) => type === 'hour')
      return parts
        .map(({ value }, index) => (index === hour - 1 ? value : value.replaceAll(' ', NO_BREAK)))
        .join('')
    },
    /** The same in few letters: the hour of today, the day of this year, the month of another. */
    brief(at: number, now = Date.now()): string {
      const [then, today] = [new Date(at), new Date(now)]
      if (then.toDateString() === today.toDateString()) return hour().format(at)
      return (then.getFullYear() === today.getFullYear() ? day() : month()).format(at)
    },
    /** The time of day, with seconds. */
    time: (at: number): string => time().format(at),
    /** How long ago, in words that stay in one line; undefined within the last minute. */
    ago(at: number, now: number): string | undefined {
      for (const [unit, ms] of STEPS)
        if (now - at >= ms)
          return relative()
            .format(-Math.floor((now - at) / ms), unit)
            .replaceAll(' ', NO_BREAK)
      return undefined
    },
    /** The form for this count: English says `1 credit` and `1.00 credits`, French `1,00 crédit`. */
    plural: (count: number, forms: { one: string; other: string }, isDecimal = false): string =>
      plurals()[isDecimal ? 1 : 0]?.select(count) === 'one' ? forms.one : forms.other,
  }
}
