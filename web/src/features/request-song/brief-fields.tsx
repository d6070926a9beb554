import { useState } from 'react'
import { MAX_BRIEF_TEXT, MAX_INSTRUMENTS, MAX_REFERENCE, TEMPO_BPM } from '@prelude/contracts'
import { type BriefDraft, isBriefEmpty } from '../../state/request-draft.ts'
import { messages } from '../../messages.ts'
import { TextField } from '../../ui/field.tsx'
import {
  type BriefField,
  type BriefProblem,
  instrumentsOf,
  problemsOf,
  toggleInstrument,
} from './brief-rules.ts'
import styles from './request-song.module.css'

/** How the address begins in every language. */
const HTTPS = 'https://'

/** Whatever a person likes to say beside lyrics and style; `refusals`: how often a request was refused because of it. */
export function BriefFields({
  brief,
  onChange,
  refusals,
  busy,
}: {
  brief: BriefDraft
  onChange: (brief: BriefDraft) => void
  refusals: number
  busy: boolean
}) {
  const [isOpen, setOpen] = useState(() => !isBriefEmpty(brief))
  // each refusal opens it
  const [seen, setSeen] = useState(refusals)
  if (seen !== refusals) {
    setSeen(refusals)
    setOpen(true)
  }
  const { title, hint, labels, choices, ...texts } = messages.brief
  const problems = refusals > 0 ? problemsOf(brief) : {}
  const field = (name: BriefField) => {
    const problem = problems[name]
    return {
      label: labels[name],
      value: brief[name],
      readOnly: busy,
      error: problem && problemText(problem, name),
      onChange: ({ target }: { target: HTMLInputElement }) => onChange({ ...brief, [name]: target.value }),
    }
  }
  return (
    <details
      className={styles.brief}
      aria-label={title}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <strong>{title}</strong> <span className="soft hint">{contentOf(brief) || hint}</span>
      </summary>
      {isOpen && (
        <div className={styles.fields}>
          <TextField {...field('genre')} choices={choices.genre} />
          <TextField {...field('mood')} choices={choices.mood} />
          <TextField
            {...field('tempo')}
            choices={TEMPOS}
            inputMode="numeric"
            placeholder={texts.tempoPlaceholder}
          />
          <TextField {...field('voice')} choices={choices.voice} />
          <TextField {...field('language')} choices={choices.language} />
          <label className={`line ${styles.check}`}>
            <input
              type="checkbox"
              checked={brief.keepWords}
              disabled={busy}
              onChange={({ target }) => onChange({ ...brief, keepWords: target.checked })}
            />
            {texts.keepWords}
          </label>
          <div className={styles.wide}>
            <TextField {...field('instruments')} hint={texts.instrumentsHint} />
            <div className={`row ${styles.chips}`}>
              {choices.instruments.map((one) => (
                <button
                  key={one}
                  type="button"
                  className={styles.chip}
                  aria-pressed={instrumentsOf(brief.instruments).includes(one)}
                  onClick={() =>
                    !busy && onChange({ ...brief, instruments: toggleInstrument(brief.instruments, one) })
                  }
                >
                  {one}
                </button>
              ))}
            </div>
          </div>
          <div className={styles.wide}>
            <TextField
              {...field('reference')}
              inputMode="url"
              placeholder={HTTPS}
              hint={texts.referenceHint}
            />
          </div>
        </div>
      )}
    </details>
  )
}

/** What the brief holds, in one line. */
function contentOf({
  genre,
  mood,
  tempo,
  voice,
  language,
  instruments,
  reference,
  keepWords,
}: BriefDraft): string {
  const { tempoPlaceholder, keepWords: kept } = messages.brief
  const parts = [
    genre,
    mood,
    tempo && `${tempo} ${tempoPlaceholder}`,
    voice,
    language,
    instruments,
    reference,
  ]
  return [...parts, keepWords && kept].filter(Boolean).join(' · ')
}

/** Slow, middle and fast. */
const TEMPOS = ['72', '96', '124']

function problemText(problem: BriefProblem, field: BriefField): string {
  const { tooLong, wrongTempo, tooMany, wrongReference } = messages.brief
  if (problem === 'tooLong') return tooLong(field === 'reference' ? MAX_REFERENCE : MAX_BRIEF_TEXT)
  if (problem === 'wrongTempo') return wrongTempo(TEMPO_BPM.minimum, TEMPO_BPM.maximum)
  return problem === 'tooMany' ? tooMany(MAX_INSTRUMENTS) : wrongReference
}
