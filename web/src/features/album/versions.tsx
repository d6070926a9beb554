import { ThumbsUp } from 'lucide-react'
import { useRef } from 'react'
import type { Song } from '@prelude/contracts'
import { useCurrentId, useSound } from '../../audio/shared-audio.ts'
import { saveAddress, takeSound } from '../../audio/take.ts'
import { TakeRow } from '../../audio/take-row.tsx'
import { useWaveform } from '../../audio/use-waveform.ts'
import { versionsOf } from '../../audio/version-switch.tsx'
import { messages } from '../../messages.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { type PlayerChoice, useOverlays } from '../../state/overlays.ts'
import { MadeText } from '../../ui/made-text.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { useSongAction } from './use-song-action.ts'
import styles from './versions.module.css'

/** Both versions of a ready song, with the takes before the newest ones. */
export function Versions({ song }: { song: Song }) {
  const current = useCurrentId()
  const takes = versionsOf(song).flatMap((version) => {
    const newest = song.takes?.[version] ?? 1
    // the newest first
    return Array.from({ length: newest }, (_one, index): PlayerChoice => ({
      song,
      version,
      ...(index > 0 && { take: newest - index }),
    })).map((choice) => ({ choice, id: takeSound(choice).id, newest }))
  })
  const chosen =
    takes.find(({ id }) => id === current) ??
    takes.find(({ choice }) => choice.version === song.preferred && choice.take === undefined) ??
    takes[0]
  return (
    <section aria-label={messages.song.versions} className={`stack gap-2 ${styles.versions}`}>
      <ul>
        {takes.map(({ choice, id, newest }) => (
          // by its file: a row that got another one would play it in place of the former, as the player does
          <Take key={id} choice={choice} newest={newest} isChosen={id === chosen?.id} />
        ))}
      </ul>
      <SaveLink className={buttonClass('link')} href={`/api/songs/${song.id}/download`}>
        {messages.song.everything}
      </SaveLink>
    </section>
  )
}

function Take({ choice, newest, isChosen }: { choice: PlayerChoice; newest: number; isChosen: boolean }) {
  const { song, version, take } = choice
  const overlays = useOverlays()
  const play = useRef<HTMLButtonElement>(null)
  const { id, src } = takeSound(choice)
  const sound = useSound(id, src)
  const wave = useWaveform(song, version, take)
  const isEarlier = take !== undefined
  const name = isEarlier ? messages.player.takeOf(messages.version(version), take) : messages.version(version)
  return (
    <TakeRow
      id={id}
      sound={sound}
      version={version}
      playLabel={messages.player.playVersion(name)}
      label={isEarlier ? messages.song.take(take) : <Label name={name} take={newest} />}
      made={!isEarlier && <MadeText made={song.made?.[version] ?? null} />}
      isChosen={isChosen}
      isEarlier={isEarlier}
      wave={wave}
      durationMs={wave.data?.durationMs ?? sound.durationMs}
      playRef={play}
      onToggle={() =>
        sound.playing
          ? sound.toggle()
          : overlays.openPlayer({ ...choice, returnFocus: () => play.current?.focus() })
      }
    >
      {!isEarlier && <Preference song={song} version={version} />}
      <SaveLink
        className={buttonClass('outline', true)}
        href={saveAddress(choice)}
        label={messages.share.download(name)}
      >
        {messages.download}
      </SaveLink>
    </TakeRow>
  )
}

const Label = ({ name, take }: { name: string; take: number }) => (
  <>
    {name} {take > 1 && <span className={`soft ${styles.take}`}>{messages.song.take(take)}</span>}
  </>
)

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
      <ThumbsUp aria-hidden size={16} fill={isPreferred ? 'currentColor' : 'none'} />
    </IconButton>
  )
}
