import type { ReactNode, RefObject } from 'react'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Strong } from '../../ui/strong.tsx'
import styles from './operator.module.css'
import { type PersonRow, usePerson } from './person.ts'

/**
 * The second step of an action that cannot be taken back: names the person and says what follows. It closes when the request
 * has ended, so that its toast can be read; the form behind it keeps what was typed.
 */
export function ConfirmDialog(props: {
  question: string
  /** On the button that does it. */
  action: string
  /** On the button that does nothing. */
  back?: string
  busy: boolean
  /** What follows is not known yet, or something is missing. */
  isLoading?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** Default: its first control. */
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}) {
  const { busy, onClose } = props
  const confirm = async (): Promise<void> => {
    if (busy) return
    await props.onConfirm()
    onClose()
  }
  return (
    <Dialog
      title={props.question}
      open
      initialFocus={props.initialFocus}
      onOpenChange={(open) => !open && !busy && onClose()}
    >
      <div className={styles.confirm}>
        {props.children}
        <div className={styles.row}>
          <Button
            variant="primary"
            busy={busy}
            disabled={props.isLoading === true}
            onClick={() => void confirm()}
          >
            {props.action}
          </Button>
          <Button disabled={busy} onClick={onClose}>
            {props.back ?? messages.operator.back}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The same about one person, with lines that depend on their balance and debt. */
export function ConfirmAboutPerson(
  props: Omit<Parameters<typeof ConfirmDialog>[0], 'question' | 'children' | 'isLoading'> & {
    find: readonly [by: 'uid' | 'email', value: string]
    /** It can be done although nobody is found, as for an account that is closed. */
    isPossibleWithoutPerson?: boolean
    /** `person` is null until loaded, and when there is none. */
    question: (person: PersonRow | null) => string
    /** Texts between asterisks are rendered strong. */
    lines: (person: PersonRow) => readonly (string | false)[]
  },
) {
  const { find, question, lines, isPossibleWithoutPerson = false, ...rest } = props
  const found = usePerson(...find)
  const { data } = found
  const isKnown = data === null ? isPossibleWithoutPerson : data !== undefined
  return (
    <ConfirmDialog {...rest} question={question(data ?? null)} isLoading={!isKnown}>
      {data === undefined && <QueryState query={found} variant="inline" />}
      {data === null && <p>{messages.operator.unknownPerson}</p>}
      {data &&
        lines(data).map(
          (line) =>
            line !== false && (
              <p key={line}>
                <Strong text={line} />
              </p>
            ),
        )}
    </ConfirmDialog>
  )
}
