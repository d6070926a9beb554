import styles from './marks.module.css'

/** Where notes are, over the waveform; those about the whole version have no place, and a newer take may be shorter. */
export const Marks = ({ positionsMs, within }: { positionsMs: readonly (number | null)[]; within: number }) =>
  within > 0 &&
  positionsMs.map(
    (at, n) =>
      at !== null && (
        // oxlint-disable-next-line react/no-array-index-key -- two notes may be at one position, and a mark has no state
        <span
          key={n}
          aria-hidden
          className={styles.mark}
          style={{ left: `${Math.min(1, at / within) * 100}%` }}
        />
      ),
  )
