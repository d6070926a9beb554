import { Check, Copy, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { useCredits, useDebt, useWaiting } from '../../api/queries.ts'
import { useOpen } from '../../app/open.ts'
import { messages, truncate } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/clock.ts'
import { Menu } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './album.module.css'

const STYLE_POINTS = 35
const LYRICS_POINTS = 40
const TICK_MS = 1_500
const PRICE = 10
const SMALLEST_TOP_UP = 25

export function AlbumItem({ song, onSell }: { song: Song; onSell: () => void }) {
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
        <State song={song} />
      </div>
      <div className={styles.actions}>
        <Actions song={song} onSell={onSell} />
      </div>
    </li>
  )
}

function State({ song }: { song: Song }) {
  const balance = useCredits()
  const when = <span>{ago(song.createdAt)}</span>
  if (song.status === 'ready')
    return (
      <p className={`mono ${styles.state}`}>
        <span className={styles.ready}>● {messages.album.isReady}</span>
        {song.charge === 'gift' && <span>{messages.album.gift}</span>}
        {when}
      </p>
    )
  if (song.charge === 'charged')
    return (
      <p className={`mono ${styles.state}`}>
        <span className={styles.cooking}>
          <Reel /> {messages.album.isCooking}
        </span>
        <span>{messages.mailWhenReady}</span>
        {when}
      </p>
    )
  if (song.charge === 'declined')
    return (
      <p className={`mono ${styles.state}`}>
        <span className={styles.low}>
          <TriangleAlert aria-hidden size={14} />
          {messages.lowCredits}
        </span>
        {balance !== undefined && <span>{messages.needs(PRICE, balance)}</span>}
        {when}
      </p>
    )
  return (
    <p className={`mono ${styles.state}`}>
      <span>{song.charge === 'refunded' ? messages.album.refunded : messages.album.deciding}</span>
      {when}
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
