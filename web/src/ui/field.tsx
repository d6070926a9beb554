import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './field.module.css'
import { Loading } from './loading.tsx'

function Field(props: {
  id: string
  label: string
  beside?: ReactNode
  hint?: ReactNode
  hintId?: string
  children: ReactNode
}) {
  return (
    <div className={styles.field}>
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

/** `choices` are offered, and any other text can be typed; `error` says what is wrong with the value. */
export function TextField({
  label,
  hint,
  error,
  choices,
  ...rest
}: Labelled<ComponentProps<'input'>> & { error?: string | undefined; choices?: readonly string[] }) {
  const id = useId()
  const below = error === undefined ? hint : <span className={styles.error}>{error}</span>
  return (
    <Field id={id} label={label} hint={below} hintId={`${id}-hint`}>
      <input
        id={id}
        className={styles.control}
        aria-describedby={below === undefined ? undefined : `${id}-hint`}
        aria-invalid={error !== undefined || undefined}
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
  ...rest
}: Labelled<ComponentProps<'textarea'>> & { ruled?: boolean; beside?: ReactNode }) {
  const id = useId()
  return (
    <Field id={id} label={label} beside={beside} hint={hint} hintId={`${id}-hint`}>
      <textarea
        id={id}
        dir="auto"
        className={`${styles.control} ${ruled ? styles.ruled : ''}`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
      />
    </Field>
  )
}

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
