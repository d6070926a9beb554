import { type How, isBlank, type Made, MAX_MADE_WITH } from '@prelude/contracts'
import { useState } from 'react'
import { localStore } from '../../browser/storage.ts'
import { messages } from '../../messages.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { DraftFile } from './draft-file.ts'
import styles from './operator.module.css'

/** What is chosen and typed for one version. */
interface MadeDraft {
  readonly how: How | ''
  readonly tool: string
}
export type MadeDrafts = readonly [MadeDraft, MadeDraft]

const HOWS: readonly How[] = ['people', 'assisted', 'ai']
const STORAGE_KEY = 'prelude-made'

export const madeOf = ({ how, tool }: MadeDraft): Made | null =>
  how === '' ? null : { how, with: isBlank(tool) ? null : tool }

export const draftOf = (made: Made | null | undefined): MadeDraft => ({
  how: made?.how ?? '',
  tool: made?.with ?? '',
})

/** As the last delivery of this browser said. */
export const useMade = () => useState<MadeDrafts>(remembered)

export const rememberMade = (made: readonly [Made | null, Made | null]): void =>
  void localStore.set(STORAGE_KEY, JSON.stringify(made))

function remembered(): MadeDrafts {
  try {
    const [one, two] = JSON.parse(localStore.get(STORAGE_KEY) ?? '[]') as (Made | null)[]
    return [draftOf(one), draftOf(two)]
  } catch {
    return [draftOf(null), draftOf(null)]
  }
}

/**
 * What is stated once other files are chosen: of a draft that a generator made it, of a file that changed its version what was
 * stated of it there, and in place of a draft what the last delivery said.
 */
export function madeAfter(
  made: MadeDrafts,
  before: readonly (File | null)[],
  files: readonly (File | null)[],
): MadeDrafts {
  const of = (n: 0 | 1): MadeDraft => {
    const file = files[n]
    if (file === before[n]) return made[n]
    if (file && before.includes(file)) return made[n === 0 ? 1 : 0]
    if (file instanceof DraftFile) return draftOf({ how: 'ai', with: file.draft.with })
    return before[n] instanceof DraftFile ? remembered()[n] : made[n]
  }
  return [of(0), of(1)]
}

/** How the file of a version was made. */
export function MadeFields(props: {
  made: MadeDraft
  disabled: boolean
  onChange: (made: MadeDraft) => void
}) {
  const { made, disabled, onChange } = props
  return (
    <div className={styles.made}>
      <Select
        label={messages.made.title}
        value={made.how}
        disabled={disabled}
        onChange={({ target }) => onChange({ ...made, how: HOWS.find((how) => how === target.value) ?? '' })}
      >
        <option value="">{messages.made.notStated}</option>
        {HOWS.map((how) => (
          <option key={how} value={how}>
            {messages.made[how]}
          </option>
        ))}
      </Select>
      <TextField
        label={messages.delivery.madeWith}
        most={MAX_MADE_WITH}
        value={made.tool}
        disabled={disabled}
        onChange={({ target }) => onChange({ ...made, tool: target.value })}
      />
    </div>
  )
}
