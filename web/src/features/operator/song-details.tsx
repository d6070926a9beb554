import { markDirections, type Song, withLineFeeds } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Strong } from '../../ui/strong.tsx'
import { ago } from '../../text/time.ts'
import styles from './operator.module.css'
import { Checkbox } from '../../ui/field.tsx'
import { Refund } from './refund.tsx'

/** The selected request in full, with a refund when it is charged and a gift when it is not. */
export function SongDetails({
  song,
  debt,
  gift,
  onGift,
}: {
  song: Song
  /** The owner's debt in credits. */
  debt: number
  gift: boolean
  /** Null while the song is delivered. */
  onGift: ((gift: boolean) => void) | null
}) {
  const lyrics = withLineFeeds(song.lyrics)
  return (
    <div className={`stack gap-2 card pale ${styles.song}`}>
      <p className="soft">
        {markDirections(`${song.username} · ${song.email}`)} · {ago(song.createdAt)}
      </p>
      <div className={styles.copied}>
        <p dir="auto">{markDirections(withLineFeeds(song.style))}</p>
        <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
      </div>
      <div className={styles.copied}>
        <span className={styles.label}>{messages.request.lyrics}</span>
        <span className="soft">{messages.operator.lines(lyrics.trimEnd().split('\n').length)}</span>
        <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
      </div>
      <pre dir="auto" tabIndex={0} role="region" aria-label={messages.operator.lyrics}>
        {markDirections(lyrics)}
      </pre>
      {song.charged && debt > 0 && (
        <p className="bad">
          <Strong text={messages.operator.ownerOwes(debt)} />
        </p>
      )}
      {song.charged ? (
        <Refund song={song} />
      ) : (
        <Checkbox checked={gift} disabled={onGift === null} onChange={(checked) => onGift?.(checked)}>
          <span>
            <Strong text={messages.operator.notCharged} />
          </span>
        </Checkbox>
      )}
    </div>
  )
}
