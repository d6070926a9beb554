import type { ComponentProps, ReactNode } from 'react'
import { Reel } from './brand.tsx'
import styles from './button.module.css'

type Variant = 'primary' | 'outline' | 'quiet' | 'link' | 'icon'

export const buttonClass = (variant: Variant = 'outline', small = false): string =>
  [styles.button, variant !== 'outline' && styles[variant], small && styles.small].filter(Boolean).join(' ')

/**
 * Primary is for the one main action of a screen. `busy` makes it look disabled and sets aria-disabled, so that it keeps the
 * focus; a spinner appears after a short delay. A busy button still fires onClick: the caller must ignore it.
 */
export function Button({
  variant = 'outline',
  small = false,
  busy = false,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { variant?: Variant; small?: boolean; busy?: boolean }) {
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      {...rest}
      className={`${buttonClass(variant, small)} ${className}`}
    >
      {busy && (
        <span className={styles.busy}>
          <Reel />
        </span>
      )}
      {children}
    </button>
  )
}

/** A button with only an icon; `label` is its accessible name. */
export function IconButton({
  label,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { label: string; children: ReactNode }) {
  return (
    <button type="button" aria-label={label} {...rest} className={`${buttonClass('icon')} ${className}`}>
      {children}
    </button>
  )
}
