import type { RefObject } from 'react'
import { messages } from '../../messages.ts'
import styles from './request-song.module.css'

/** The tags are the same in every language, for those who make the song. */
const SECTIONS = ['Verse', 'Chorus', 'Bridge'] as const

/** Buttons that begin a part of the song at the cursor. */
export function SectionButtons({ text }: { text: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <span className="row">
      {SECTIONS.map((section) => (
        <button
          key={section}
          type="button"
          className={styles.chip}
          onClick={() => text.current && insertLine(text.current, `[${section}]`)}
        >
          {messages.brief.sections[section]}
        </button>
      ))}
    </span>
  )
}

/** Inserts a line before the cursor, or before the selection, of which nothing is lost. */
function insertLine(area: HTMLTextAreaElement, line: string): void {
  const at = area.selectionStart
  area.focus()
  area.setSelectionRange(at, at)
  const isLineStart = at === 0 || area.value[at - 1] === '\n'
  // deprecated, yet the only insertion that the browser's own undo takes back
  document.execCommand('insertText', false, `${isLineStart ? '' : '\n'}${line}\n`)
}
