import { type ComponentProps, type ReactNode, useId } from 'react'
import { messages } from '../messages.ts'
import styles from './field.module.css'
import { Loading } from './loading.tsx'
import { lengthOf } from '../text/truncate.ts'

function Field(props: {
  id: string
  label: string
  beside?: ReactNode
  hint?: ReactNode
  hintId?: string
  children: ReactNode
}) {
  return (
    <div className="stack gap-2">
      <div className={styles.top}>
        <label className={styles.label} htmlFor={props.id}>
          {props.label}
        </label>
        {props.beside}
      </div>
      {props.children}
      {props.hint !== undefined && (
        <span id={props.hintId} className={styles.hint}>
          {props.hint}
        </span>
      )}
    </div>
  )
}

type Labelled<T> = T & { label: string; hint?: ReactNode }
/** `most`: how many characters the server takes. They are counted; a longer text is marked, never cut. */
type Limited<T> = Labelled<T> & { most?: number }

/** How long a text is, or by how much too long. */
function CharacterCount({ text, most }: { text: string; most: number }) {
  const length = lengthOf(text)
  if (length === 0) return null
  const excess = length - most
  return (
    <span
      className={`mono soft ${styles.count}`}
      data-over={excess > 0 || undefined}
      aria-live={excess > 0 ? 'polite' : 'off'}
    >
      {excess > 0 ? messages.request.over(excess) : messages.request.count(length, most)}
    </span>
  )
}

/** Of a text field with a limit: the count beside its label, and whether the text is too long. */
const limitOf = (value: unknown, most: number | undefined) => ({
  count: most !== undefined && <CharacterCount text={String(value)} most={most} />,
  isOver: most !== undefined && lengthOf(String(value)) > most,
})

/** `choices` are offered, and any other text can be typed; `error` says what is wrong with the value. */
export function TextField({
  label,
  hint,
  error,
  choices,
  most,
  ...rest
}: Limited<ComponentProps<'input'>> & { error?: string | undefined; choices?: readonly string[] }) {
  const id = useId()
  const { count, isOver } = limitOf(rest.value, most)
  const below = error === undefined ? hint : <span className="bad">{error}</span>
  return (
    <Field id={id} label={label} beside={count} hint={below} hintId={`${id}-hint`}>
      <input
        id={id}
        className={styles.control}
        aria-describedby={below === undefined ? undefined : `${id}-hint`}
        aria-invalid={error !== undefined || isOver || undefined}
        list={choices && `${id}-choices`}
        {...rest}
      />
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </datalist>
      )}
    </Field>
  )
}

/** `ruled` draws notebook lines; `beside` is rendered at the end of the label's line. */
export function TextArea({
  label,
  hint,
  ruled,
  beside,
  most,
  ...rest
}: Limited<ComponentProps<'textarea'>> & { ruled?: boolean; beside?: ReactNode }) {
  const id = useId()
  const { count, isOver } = limitOf(rest.value, most)
  return (
    <Field
      id={id}
      label={label}
      beside={
        (beside || count) && (
          <span className={`row ${styles.beside}`}>
            {beside}
            {count}
          </span>
        )
      }
      hint={hint}
      hintId={`${id}-hint`}
    >
      <textarea
        id={id}
        dir="auto"
        className={`${styles.control} ${ruled ? styles.ruled : ''}`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        aria-invalid={isOver || undefined}
        {...rest}
      />
    </Field>
  )
}

/** A checkbox before its label. */
export const Checkbox = ({
  onChange,
  children,
  ...input
}: {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) => (
  <label className="check">
    <input type="checkbox" {...input} onChange={({ target }) => onChange(target.checked)} />
    {children}
  </label>
)

/** `busy`: the options are still loading. */
export function Select({
  label,
  hint,
  busy = false,
  ...rest
}: Labelled<ComponentProps<'select'>> & { busy?: boolean }) {
  const id = useId()
  return (
    <Field
      id={id}
      label={label}
      beside={busy && <Loading variant="inline" />}
      hint={hint}
      hintId={`${id}-hint`}
    >
      <select id={id} className={styles.control} aria-busy={busy || undefined} {...rest} />
    </Field>
  )
}
