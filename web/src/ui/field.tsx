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

export function TextField({ label, hint, ...rest }: Labelled<ComponentProps<'input'>>) {
  const id = useId()
  return (
    <Field id={id} label={label} hint={hint} hintId={`${id}-hint`}>
      <input
        id={id}
        className={styles.control}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
      />
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
