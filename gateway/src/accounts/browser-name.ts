/** In the order in which they are looked for: most browsers also claim to be an older one. */
const BROWSERS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const MAX_PRODUCT = 40

/** What a person recognises a browser by in the list of their sessions, from its User-Agent header: "Firefox on Linux". */
export function browserName(userAgent: string | undefined): string {
  const find = (list: typeof BROWSERS) => list.find(([token]) => token.test(userAgent ?? ''))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  // a script: its first product, like "curl"
  const [product = ''] = /^[\w.-]+/.exec(userAgent ?? '') ?? []
  return product.slice(0, MAX_PRODUCT) || 'Unknown'
}
