import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'

type Variant = 'primary' | 'outline' | 'quiet'

export const buttonClass = (variant: Variant = 'outline', small = false): string =>
  [styles.button, variant !== 'outline' && styles[variant], small && styles.small].filter(Boolean).join(' ')

/**
 * Primary is the one action that matters on a screen. While `busy` it looks and is announced as disabled but keeps the
 * focus; what it does is for its owner to withhold.
 */
export function Button({
  variant = 'outline',
  small = false,
  busy = false,
  className = '',
  ...rest
}: ComponentProps<'button'> & { variant?: Variant; small?: boolean; busy?: boolean }) {
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      {...rest}
      className={`${buttonClass(variant, small)} ${className}`}
    />
  )
}

/** A button that shows only an icon; `label` is its name. */
export function IconButton({
  label,
  children,
  ...rest
}: ComponentProps<'button'> & { label: string; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={`${styles.button} ${styles.quiet} ${styles.icon}`}
    >
      {children}
    </button>
  )
}
