const DAY_MS = 86_400_000
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** Within less than six days each weekday comes once, also where a day has 25 hours. */
const UNAMBIGUOUS_MS = 6 * DAY_MS
const NO_BREAK = '\u00a0'
const MEGABYTE = 1_048_576

type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

function lazy<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Formats of numbers, times and plurals for a locale (a BCP 47 tag). */
export function formatsFor(locale: string, timeZone?: string) {
  // created lazily: together they delay the first paint on a slow phone
  const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
  const credits = lazy(() => new Intl.NumberFormat(locale, { ...two, useGrouping: false }))
  const whole = lazy(() => new Intl.NumberFormat(locale))
  const plain = lazy(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping: false }))
  const tenth = lazy(
    () => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  )
  const when = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  const day = lazy(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }))
  const month = lazy(() => new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' }))
  const zone = timeZone === undefined ? {} : { timeZone }
  const hour = lazy(() => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', ...zone }))
  const time = lazy(() => new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }))
  const weekday = lazy(() => new Intl.DateTimeFormat(locale, { weekday: 'long', ...zone }))
  const distant = lazy(
    () => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', ...zone }),
  )
  const tomorrow = lazy(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  // Swedish dates are those of ISO 8601
  const isoDay = lazy(() => new Intl.DateTimeFormat('sv', zone))
  const dayOf = (at: number): number => Date.parse(isoDay().format(at)) / DAY_MS
  const relative = lazy(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))
  const currencies = new Map<string, Intl.NumberFormat>()
  const money = (currency: string, trailingZeroDisplay: 'auto' | 'stripIfInteger'): Intl.NumberFormat => {
    const key = `${currency} ${trailingZeroDisplay}`
    const options = {
      style: 'currency',
      currencyDisplay: 'narrowSymbol',
      currency,
      trailingZeroDisplay,
    } as const
    const known = currencies.get(key) ?? new Intl.NumberFormat(locale, options)
    currencies.set(key, known)
    return known
  }
  const plurals = lazy(() =>
    [0, 2].map((digits) => new Intl.PluralRules(locale, { minimumFractionDigits: digits })),
  )
  return {
    /** Two decimals and no thousands separator: `25.00`. */
    credits: (value: number): string => credits().format(value),
    /** As a person types it: at most two decimals, and no thousands separator. */
    plain: (value: number): string => plain().format(value),
    /** `37,000`. */
    whole: (value: number): string => whole().format(value),
    /** One decimal, with a real minus sign: `−14.2`. */
    tenth: (value: number): string => tenth().format(value).replace('-', '−'),
    /** Bytes as whole kilobytes or tenths of megabytes, with the given unit names. */
    size: (bytes: number, kilo: string, mega: string): string =>
      bytes < MEGABYTE
        ? `${whole().format(Math.ceil(bytes / 1024))} ${kilo}`
        : `${tenth().format(bytes / MEGABYTE)} ${mega}`,
    /** Seconds as a rounded-up duration: `40 s`, `3 min`. */
    span: (seconds: number): string =>
      seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`,
    /** An amount of money with two decimals: `$25.00`, `₦37,000.00`. */
    money: (value: number, currency: string): string => money(currency, 'auto').format(value),
    /** The same in prose, where a whole amount has no decimals: `$25`. */
    price: (value: number, currency: string): string => money(currency, 'stripIfInteger').format(value),
    /** Date and time of milliseconds since the epoch; the only line break possible is between the two. */
    when(at: number): string {
      const parts = when().formatToParts(at)
      const hour = parts.findIndex(({ type }) => type === 'hour')
      return parts
        .map(({ value }, index) => (index === hour - 1 ? value : value.replaceAll(' ', NO_BREAK)))
        .join('')
    },
    /** Short form: the time today, the day within this year, else month and year. */
    brief(at: number, now = Date.now()): string {
      const [then, today] = [new Date(at), new Date(now)]
      if (then.toDateString() === today.toDateString()) return hour().format(at)
      return (then.getFullYear() === today.getFullYear() ? day() : month()).format(at)
    },
    /** Day and time: `tomorrow, 14:00`, `Tuesday, 14:00`; with the date where the weekday alone could be another week's. */
    weekday(at: number, now = Date.now()): string {
      const days = dayOf(at) - dayOf(now)
      const isNear = Math.abs(at - now) < UNAMBIGUOUS_MS
      const day =
        Math.abs(days) < 2 ? tomorrow().format(days, 'day') : (isNear ? weekday() : distant()).format(at)
      return `${day}, ${hour().format(at)}`
    },
    /** The time of day: `14:00`. */
    hour: (at: number): string => hour().format(at),
    /** A day as a heading: `Today`, `Tomorrow`, else `Tuesday, 24 November`. */
    day(at: number, now = Date.now()): string {
      const days = dayOf(at) - dayOf(now)
      const text = Math.abs(days) < 2 ? tomorrow().format(days, 'day') : distant().format(at)
      return text.replace(/^./u, (first) => first.toLocaleUpperCase(locale))
    },
    /** A duration in its largest unit, rounded down: `18 min`, `2 days`; at least a minute. */
    elapsed(ms: number): string {
      const [unit, size] = STEPS.find(([, most]) => ms >= most) ?? (['minute', ms] as const)
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
        .format(Math.max(1, Math.floor(ms / size)))
        .replaceAll(' ', NO_BREAK)
    },
    /** The time of day, with seconds. */
    time: (at: number): string => time().format(at),
    /** Relative time without line breaks; undefined within the last minute. */
    ago(at: number, now: number): string | undefined {
      for (const [unit, ms] of STEPS)
        if (now - at >= ms)
          return relative()
            .format(-Math.floor((now - at) / ms), unit)
            .replaceAll(' ', NO_BREAK)
      return undefined
    },
    /**
     * The plural form for a count: English `1 credit` but `1.00 credits`, French `1,00 crédit`. A language gives the forms
     * that it has; `other` serves for those that it does not tell apart.
     */
    plural: (count: number, forms: PluralForms, isDecimal = false): string =>
      forms[plurals()[isDecimal ? 1 : 0]?.select(count) ?? 'other'] ?? forms.other,
  }
}
