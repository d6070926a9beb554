import { Play, ThumbsUp } from 'lucide-react'
import { useRef } from 'react'
import type { Song } from '@prelude/contracts'
import { saveAddress } from '../../audio/take.ts'
import { takeColours, versionsOf } from '../../audio/version-switch.tsx'
import { messages } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { useOverlays } from '../../state/overlays.ts'
import { SaveLink } from '../../ui/save-link.tsx'
import { useSongAction } from './use-song-action.ts'
import styles from './versions.module.css'

/** Both versions of a ready song, with the takes before the newest ones. */
export function Versions({ song }: { song: Song }) {
  return (
    <section aria-label={messages.song.versions} className={styles.versions}>
      <h2>{messages.song.versions}</h2>
      <ul className={styles.takes}>
        {versionsOf(song).flatMap((version) => {
          const newest = song.takes?.[version] ?? 1
          // the newest first
          return Array.from({ length: newest }, (_one, index) => newest - index).map((take) => (
            <Take key={`${version} ${take}`} song={song} version={version} take={take} newest={newest} />
          ))
        })}
      </ul>
      <p>
        <SaveLink className={buttonClass('link')} href={`/api/songs/${song.id}/download`}>
          {messages.song.everything}
        </SaveLink>
      </p>
    </section>
  )
}

function Take(props: { song: Song; version: 1 | 2; take: number; newest: number }) {
  const { song, version, take, newest } = props
  const overlays = useOverlays()
  const play = useRef<HTMLButtonElement>(null)
  const isNewest = take === newest
  const choice = { song, version, ...(!isNewest && { take }) }
  const name = isNewest ? messages.version(version) : messages.song.takeOf(messages.version(version), take)
  return (
    <li style={takeColours(version)} data-earlier={!isNewest || undefined}>
      <IconButton
        ref={play}
        label={messages.song.playVersion(name)}
        onClick={() => overlays.openPlayer({ ...choice, returnFocus: () => play.current?.focus() })}
      >
        <span className={styles.play}>
          <Play aria-hidden size={16} fill="currentColor" />
        </span>
      </IconButton>
      <span className={styles.name}>
        {isNewest ? messages.version(version) : messages.song.take(take)}
        {isNewest && newest > 1 && (
          <span className={`mono ${styles.hint}`}>
            {messages.song.take(take)}, {messages.song.newest}
          </span>
        )}
      </span>
      {isNewest && <Preference song={song} version={version} />}
      <SaveLink
        className={buttonClass('outline', true)}
        href={saveAddress(choice)}
        label={messages.song.save(name)}
      >
        {messages.player.save}
      </SaveLink>
    </li>
  )
}

/** The version that the owner likes better, which the album plays first. */
function Preference({ song, version }: { song: Song; version: 1 | 2 }) {
  const { busy, mark } = useSongAction(song.id)
  const isPreferred = song.preferred === version
  return (
    <IconButton
      label={messages.library.prefer(messages.version(version))}
      aria-pressed={isPreferred}
      aria-busy={busy}
      onClick={() => void mark({ preferred: isPreferred ? null : version })}
    >
      <ThumbsUp aria-hidden size={16} />
    </IconButton>
  )
}
