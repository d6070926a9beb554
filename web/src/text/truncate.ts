import { isBlank, withLineFeeds } from '@prelude/contracts'

/** Lengths of shortened texts in code points. */
export const ALBUM_STYLE_POINTS = 35
export const ALBUM_LYRICS_POINTS = 40
export const OPERATOR_POINTS = 40

/** The first `count` code points, then an ellipsis. */
export function truncate(text: string, count: number): string {
  // a code point, and a line break, has two units at most: the rest of a long text need not be taken apart
  const points = Array.from(withLineFeeds(text.slice(0, 2 * (count + 1))))
  return points.length > count ? `${points.slice(0, count).join('')}…` : points.join('')
}

/** Whether it is a text that the server takes: not blank, and not too long. */
export const isTextWithin = (text: string, most: number): boolean => !isBlank(text) && lengthOf(text) <= most

/** Code points, like the server. */
export const lengthOf = (text: string): number =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0)
