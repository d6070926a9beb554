import { MAX_BRIEF_TEXT, MAX_INSTRUMENTS, MAX_REFERENCE, type NewBrief, TEMPO_BPM } from '@prelude/contracts'
import { type BriefDraft, isBriefEmpty } from '../../state/request-draft.ts'
import { lengthOf } from '../../text/truncate.ts'

export type BriefField = Exclude<keyof BriefDraft, 'keepWords'>
export type BriefProblem = 'tooLong' | 'wrongTempo' | 'tooMany' | 'wrongReference'

export const instrumentsOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Takes the instrument off the list, or adds it. */
export function toggleInstrument(text: string, instrument: string): string {
  const listed = instrumentsOf(text)
  const others = listed.filter((one) => one !== instrument)
  return (others.length < listed.length ? others : [...listed, instrument]).join(', ')
}

/** `URL.canParse` is newer than the oldest browsers (docs/decisions/0049). */
function isAddress(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}

/** What the server would refuse, by field. */
export function problemsOf(brief: BriefDraft): Partial<Record<BriefField, BriefProblem>> {
  const isLong = (text: string, most = MAX_BRIEF_TEXT): boolean => lengthOf(text.trim()) > most
  const problems: Partial<Record<BriefField, BriefProblem>> = {}
  for (const field of ['genre', 'mood', 'voice', 'language'] as const)
    if (isLong(brief[field])) problems[field] = 'tooLong'
  const { minimum, maximum } = TEMPO_BPM
  const tempo = brief.tempo.trim()
  if (tempo !== '' && !(/^\d+$/.test(tempo) && +tempo >= minimum && +tempo <= maximum))
    problems.tempo = 'wrongTempo'
  const instruments = instrumentsOf(brief.instruments)
  if (instruments.some((one) => isLong(one))) problems.instruments = 'tooLong'
  if (instruments.length > MAX_INSTRUMENTS) problems.instruments = 'tooMany'
  const reference = brief.reference.trim()
  if (reference !== '' && !(/^https:\/\/[^\s/]/.test(reference) && isAddress(reference)))
    problems.reference = 'wrongReference'
  if (isLong(reference, MAX_REFERENCE)) problems.reference = 'tooLong'
  return problems
}

/** What was filled in; undefined when nothing was. */
export function briefToSend(brief: BriefDraft): NewBrief | undefined {
  if (isBriefEmpty(brief)) return undefined
  const text = (field: BriefField): string | null => brief[field].trim() || null
  return {
    genre: text('genre'),
    mood: text('mood'),
    tempoBpm: text('tempo') === null ? null : Number(brief.tempo),
    voice: text('voice'),
    language: text('language'),
    instruments: instrumentsOf(brief.instruments),
    reference: text('reference'),
    keepWords: brief.keepWords || null,
  }
}
