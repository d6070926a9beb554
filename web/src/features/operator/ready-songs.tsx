import { Play } from 'lucide-react'
import { useRef } from 'react'
import { deliveredAt, markDirections, type Song } from '@prelude/contracts'
import { useOperatorList } from '../../api/operator.ts'
import { useOverlays } from '../../state/overlays.ts'
import { COLOURS } from '../../audio/version-switch.tsx'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../text/time.ts'
import { OperatorList } from './operator-list.tsx'
import styles from './operator.module.css'
import { ReplaceVersion } from './replace-version.tsx'
import { titleOf } from './song-summary.tsx'

/** Delivered songs, with a form to replace a wrong file. */
export function ReadySongs() {
  return (
    <OperatorList list={useOperatorList('songs', { status: 'ready' })} empty={messages.operator.noReady}>
      {(song) => (
        <li key={song.id} className="stack gap-2">
          <div className={`row split ${styles.entry}`}>
            <span>
              {titleOf(song)}
              <span className="soft">
                {markDirections(song.email)} · {ago(deliveredAt(song) ?? song.createdAt)}
              </span>
            </span>
            <span className={styles.play}>
              <PlayButton song={song} version={1} />
              <PlayButton song={song} version={2} />
            </span>
          </div>
          <ReplaceVersion song={song} />
        </li>
      )}
    </OperatorList>
  )
}

/** Plays the delivered version in the player. */
export function PlayButton({ song, version }: { song: Song; version: 1 | 2 }) {
  const overlays = useOverlays()
  const button = useRef<HTMLButtonElement>(null)
  const colour = `var(${COLOURS[version]})`
  return (
    <Button
      ref={button}
      small
      aria-label={messages.operator.listen(version, titleOf(song))}
      onClick={() => overlays.openPlayer({ song, version, returnFocus: () => button.current?.focus() })}
    >
      <Play aria-hidden size={14} fill={colour} color={colour} />
      {version}
    </Button>
  )
}
