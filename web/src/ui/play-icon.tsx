import { Pause, Play } from 'lucide-react'

/** On a button that plays, or pauses what plays. */
export function PlayIcon({ playing, size = 18 }: { playing: boolean; size?: number }) {
  const Icon = playing ? Pause : Play
  return <Icon aria-hidden size={size} fill="currentColor" />
}
