import { type Static, Type } from 'typebox'
import type { Code } from '../codes.ts'
import { MAX_MADE_WITH } from '../limits.ts'
import { isBlank, isStorable, isTooLong, oneLine } from '../text.ts'
import { Nullable, OneOf } from './operation.ts'

export const How = OneOf('people', 'assisted', 'ai')
export type How = Static<typeof How>

/** How a take was made, and with what tool and model. */
export const Made = Type.Object({ how: How, with: Nullable(Type.String()) })
export type Made = Static<typeof Made>

/** Of both versions; null is not stated. */
export const MadeOfBoth = Type.Object({ 1: Nullable(Made), 2: Nullable(Made) })
type MadeOfBoth = Static<typeof MadeOfBoth>
/** Of the versions that something is said of. */
export const MadeOfSome = Type.Partial(MadeOfBoth)
export type MadeOfSome = Static<typeof MadeOfSome>

/** As it is sent, for documents; `readMade` checks it. */
const NewMade = Type.Object({
  how: How,
  with: Type.Optional(
    Nullable(Type.String({ description: `tool and model, at most ${MAX_MADE_WITH} code points` })),
  ),
})
export const NewMadeOfSome = Type.Object({
  1: Type.Optional(Nullable(NewMade)),
  2: Type.Optional(Nullable(NewMade)),
})

/** Why what was sent as `made` is refused. */
type Refusal = Extract<Code, 'invalid_request' | 'invalid_text'>

/** What was sent for the file of one version; null, or a blank `with`, is not stated. */
export function readMade(sent: unknown): Made | null | Refusal {
  if (sent === null) return null
  const { how, with: tool = null } = isObject(sent) ? sent : {}
  const isText = tool === null || (typeof tool === 'string' && !isTooLong(tool, MAX_MADE_WITH))
  if (!isHow(how) || !isText) return 'invalid_request'
  if (tool !== null && !isStorable(tool)) return 'invalid_text'
  return { how, with: tool === null || isBlank(tool) ? null : tool }
}

/** What was sent by version; `versions`: those of which it may say something. */
export function readMadeOf(sent: unknown, versions: readonly number[]): MadeOfSome | Refusal {
  if (!isObject(sent)) return 'invalid_request'
  const made: Record<string, Made | null> = {}
  for (const [version, one] of Object.entries(sent)) {
    const read = versions.some((known) => String(known) === version) ? readMade(one) : 'invalid_request'
    if (typeof read === 'string') return read
    made[version] = read
  }
  return made
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isHow = (value: unknown): value is How => value === 'people' || value === 'assisted' || value === 'ai'

const SENTENCES = {
  people: 'Made by people',
  assisted: 'Made with the help of AI',
  ai: 'Made by AI',
} as const satisfies Record<How, string>

/** One sentence, in English, for files. */
export const madeText = (made: Made | null | undefined): string =>
  made
    ? `${SENTENCES[made.how]}${made.with === null ? '' : ` (${oneLine(made.with)})`}`
    : 'How it was made is not stated'

/** The same of both versions; undefined where nothing is stated. */
export const madeFile = (made: MadeOfBoth | null): string | undefined =>
  made?.[1] || made?.[2]
    ? ([1, 2] as const).map((n) => `Version ${n}: ${madeText(made[n])}\n`).join('')
    : undefined
