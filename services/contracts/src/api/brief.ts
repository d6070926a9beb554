import { type Static, Type } from 'typebox'
import { MAX_BRIEF_TEXT, MAX_INSTRUMENTS, MAX_REFERENCE, TEMPO_BPM } from '../limits.ts'
import { oneLine } from '../text.ts'
import { Nullable } from './operation.ts'

const Text = Type.String({ maxLength: MAX_BRIEF_TEXT })
const FIELDS = {
  genre: Text,
  mood: Text,
  tempoBpm: Type.Integer(TEMPO_BPM),
  voice: Text,
  language: Text,
  instruments: Type.Array(Text, { maxItems: MAX_INSTRUMENTS }),
  /** An https address of something that sounds alike. */
  reference: Type.String({ maxLength: MAX_REFERENCE, pattern: '^https://[^\\s/]' }),
  /** The lyrics are not to be changed. */
  keepWords: Type.Boolean(),
}

/** What a person says about a song beside lyrics and style; only what was said. */
export const Brief = Type.Partial(Type.Object(FIELDS))
export type Brief = Static<typeof Brief>

/** The same as it is sent: null is as absent. */
export const NewBrief = Type.Object({
  genre: Type.Optional(Nullable(FIELDS.genre)),
  mood: Type.Optional(Nullable(FIELDS.mood)),
  tempoBpm: Type.Optional(Nullable(FIELDS.tempoBpm)),
  voice: Type.Optional(Nullable(FIELDS.voice)),
  language: Type.Optional(Nullable(FIELDS.language)),
  instruments: Type.Optional(Nullable(FIELDS.instruments)),
  reference: Type.Optional(Nullable(FIELDS.reference)),
  keepWords: Type.Optional(Nullable(FIELDS.keepWords)),
})
export type NewBrief = Static<typeof NewBrief>

const LABELS = {
  genre: 'Genre',
  mood: 'Mood',
  tempoBpm: 'Tempo (BPM)',
  voice: 'Voice',
  language: 'Language',
  instruments: 'Instruments',
  reference: 'Reference',
  keepWords: 'Keep the words exactly',
} as const satisfies Record<keyof Brief, string>

/** In English, for mails to the operator and files. */
export const briefLines = (brief: Brief): [label: string, value: string][] =>
  (Object.keys(LABELS) as (keyof Brief)[]).flatMap((name) => {
    const value = brief[name]
    if (value === undefined) return []
    const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : [value].flat().join(', ')
    return [[LABELS[name], oneLine(text)]]
  })

export const briefText = (brief: Brief): string =>
  briefLines(brief)
    .map(([label, value]) => `${label}: ${value}\n`)
    .join('')
