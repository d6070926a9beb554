import { Check, Copy } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { useCredits, useDebt, useWaiting } from '../../api/queries.ts'
import type { Sending } from '../../api/sending.ts'
import { useOpen } from '../../app/open.ts'
import { messages, truncate, useLanguage } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './album.module.css'
import { stepsOf } from './steps.ts'
import { Timeline } from './timeline.tsx'

/** Of a style, in the album (spec §9). */
export const STYLE_POINTS = 35
const LYRICS_POINTS = 40
const TICK_MS = 1_500
const PRICE = 10
const SMALLEST_TOP_UP = 25

/** Drawn anew when its song changes, not with every other one. */
export const AlbumItem = memo(function AlbumItem({ song, onSell }: { song: Song; onSell: () => void }) {
  useLanguage()
  return (
    <li className={styles.item}>
      <div className={styles.texts}>
        <div className={styles.line}>
          <span className={styles.style}>{truncate(song.style, STYLE_POINTS)}</span>
          <CopyButton label={messages.album.copyStyle} text={song.style} done={messages.styleCopied} />
        </div>
        <div className={styles.line}>
          <span className={styles.lyrics}>{truncate(song.lyrics, LYRICS_POINTS)}</span>
          <CopyButton label={messages.album.copyLyrics} text={song.lyrics} done={messages.lyricsCopied} />
        </div>
        <Timeline steps={stepsOf(song)} />
        <Note song={song} />
      </div>
      <div className={styles.actions}>
        <Actions song={song} onSell={onSell} />
      </div>
    </li>
  )
})

/** What the album shows of a request before the server has answered. */
export function SendingItem({ sending }: { sending: Sending }) {
  return (
    <li className={styles.item} aria-busy>
      <div className={styles.texts}>
        <div className={styles.line}>
          <span className={styles.style}>{truncate(sending.style, STYLE_POINTS)}</span>
        </div>
        <div className={styles.line}>
          <span className={styles.lyrics}>{truncate(sending.lyrics, LYRICS_POINTS)}</span>
        </div>
        <p className={`mono ${styles.sending}`}>
          <Reel /> {messages.album.sending}
        </p>
      </div>
    </li>
  )
}

/** What the person should know while the song is not there. */
function Note({ song }: { song: Song }) {
  if (song.status === 'ready') return null
  if (song.charge === 'declined') return <LowCredits />
  const words = {
    charged: messages.mailWhenReady,
    deciding: messages.album.deciding,
    refunded: messages.album.refunded,
    gift: null,
  }[song.charge]
  return <p className={`mono ${styles.state}`}>{words}</p>
}

function LowCredits() {
  const balance = useCredits()
  return (
    <p className={`mono ${styles.state}`}>
      <span className={styles.low}>{messages.lowCredits}</span>
      {balance !== undefined && <span>{messages.needs(PRICE, balance)}</span>}
    </p>
  )
}

function Actions({ song, onSell }: { song: Song; onSell: () => void }) {
  const open = useOpen()
  const download = useRef<HTMLSpanElement>(null)
  if (song.status === 'ready') {
    const versions = ([1, 2] as const).filter(
      (n) => (n === 1 ? song.downloadUrl1 : song.downloadUrl2) !== null,
    )
    return (
      <>
        <span ref={download}>
          <Menu
            label={messages.album.download}
            entries={versions.map((version) => ({
              label: messages.version(version),
              dot: version === 1 ? 'var(--record)' : 'var(--teal)',
              onSelect: () =>
                open.player({
                  songId: song.id,
                  version,
                  returnFocus: () => download.current?.querySelector('button')?.focus(),
                }),
            }))}
          />
        </span>
        <Button small onClick={onSell}>
          {messages.album.sell}
        </Button>
      </>
    )
  }
  if (song.charge === 'declined') return <TopUp songId={song.id} />
  if (song.charge === 'refunded') return null
  return (
    <Button small disabled>
      {messages.cooking}
    </Button>
  )
}

/**
 * Fills in what is missing for this request. Credits settle a debt and then go to the oldest first, so what is owed and
 * the requests before it count too.
 */
function TopUp({ songId }: { songId: string }) {
  const open = useOpen()
  const balance = useCredits() ?? 0
  const songs = 1 + Math.max(0, useWaiting()?.indexOf(songId) ?? 0)
  const debt = useDebt()
  const missing = Math.max(SMALLEST_TOP_UP, Math.ceil((songs * PRICE + debt - balance) * 100) / 100)
  return (
    <Button small variant="primary" onClick={() => open.topUp(missing)}>
      {messages.album.topUp}
    </Button>
  )
}

function CopyButton({ label, text, done }: { label: string; text: string; done: string }) {
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return undefined
    const timer = setTimeout(() => setCopied(0), TICK_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(Date.now()),
      () => toast.alert(messages.copyFailed),
    )
  }
  return (
    <span className={styles.copy}>
      <button type="button" aria-label={label} onClick={copy}>
        {copied > 0 ? <Check aria-hidden size={15} /> : <Copy aria-hidden size={15} />}
      </button>
      {copied > 0 && (
        <span role="status" className={styles.tip}>
          {done}
        </span>
      )}
    </span>
  )
}
