import { type CSSProperties, useId } from 'react'
import type { Song } from '@prelude/contracts'
import { messages } from '../messages.ts'
import styles from './version-switch.module.css'

const VERSIONS = [1, 2] as const
export const COLOURS = { 1: '--record', 2: '--teal' } as const

/** The versions that can be played. */
export const versionsOf = (song: Song | undefined) =>
  VERSIONS.filter((n) => (n === 1 ? song?.downloadUrl1 : song?.downloadUrl2) !== null)

/** The two versions as radio buttons, in their colours. */
export function VersionSwitch(props: {
  song: Song | undefined
  version: 1 | 2
  /** Only the numbers on narrow screens. */
  isShort?: boolean
  onChoose: (version: 1 | 2) => void
}) {
  const name = useId()
  return (
    <div
      className={`${styles.takes} ${props.isShort ? styles.short : ''}`}
      role="radiogroup"
      aria-label={messages.player.version}
    >
      {versionsOf(props.song).map((version) => (
        <label key={version} style={takeColours(version)}>
          <input
            type="radio"
            name={name}
            checked={props.version === version}
            onChange={() => props.onChoose(version)}
          />
          <span>{messages.version(version)}</span>
          <span aria-hidden>{version}</span>
        </label>
      ))}
    </div>
  )
}

/** The colour of a version, and that of what lies on it. */
export const takeColours = (version: 1 | 2): CSSProperties =>
  ({
    '--take': `var(${COLOURS[version]})`,
    '--on-take': version === 1 ? 'var(--on-record)' : 'var(--on-teal)',
  }) as CSSProperties
