import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { SeekBar } from '../../../audio/seek-bar.tsx'
import { play, seek, stop, useSound } from '../../../audio/shared-audio.ts'
import { COLOURS } from '../../../audio/version-switch.tsx'
import { messages } from '../../../messages.ts'
import { IconButton } from '../../../ui/button.tsx'
import { formatDuration } from '../../../text/time.ts'
import type { Measures } from '../measure.ts'
import styles from './desk.module.css'

/** A chosen file, to be heard before it is sent. */
export function ChosenFile(props: {
  version: 1 | 2
  file: File
  /** Null where this browser cannot decode it, undefined until known. */
  measures: Measures | null | undefined
}) {
  const { version, file, measures } = props
  const { desk, player } = messages
  /** Made by the first gesture. */
  const [url, setUrl] = useState<string | null>(null)
  const id = `file/${url}`
  const sound = useSound(id, url ?? '')
  useEffect(() => {
    if (url === null) return undefined
    return () => {
      stop(id)
      URL.revokeObjectURL(url)
    }
  }, [id, url])
  const open = (): string => {
    const made = url ?? URL.createObjectURL(file)
    setUrl(made)
    return made
  }
  const toggle = (): void => {
    const made = open()
    if (url === null) play(`file/${made}`, made)
    else sound.toggle()
  }
  const name = messages.version(version)
  const durationMs = measures?.durationMs ?? sound.durationMs
  const colour = `var(${COLOURS[version]})`
  const Icon = sound.playing ? Pause : Play
  return (
    <>
      <div className={styles.chosen}>
        <IconButton label={sound.playing ? desk.pause(name) : desk.play(name)} onClick={toggle}>
          <Icon aria-hidden size={20} fill={colour} color={colour} />
        </IconButton>
        <SeekBar
          label={desk.positionIn(name)}
          version={version}
          wave={{ data: measures ?? undefined, isPending: measures === undefined }}
          positionMs={sound.positionMs}
          durationMs={durationMs}
          onSeek={(ms) => seek(`file/${open()}`, ms)}
        />
        <span className="mono">{durationMs > 0 && formatDuration(durationMs)}</span>
      </div>
      {sound.failed && <p role="alert">{player.failed[sound.failed]}</p>}
    </>
  )
}
