/**
 * Loudness by a GainNode, since iOS ignores `volume` of media elements. An element that is connected once sounds through its
 * context for ever, which runs only after a gesture: `connect` belongs into the handler of one. Without AudioContext the
 * element plays at its own loudness.
 */

let context: AudioContext | undefined
let gain: GainNode | undefined

export function connect(element: HTMLMediaElement): void {
  if (gain || !('AudioContext' in globalThis)) return
  keepPlayingWhenLocked()
  context = new AudioContext()
  gain = context.createGain()
  context.createMediaElementSource(element).connect(gain).connect(context.destination)
}

/** A context is suspended until a gesture, and by calls on a phone. */
export function resume(): void {
  if (context && context.state !== 'running') void context.resume().catch(() => {})
}

/** 1 is the file's own loudness. */
export function setGain(value: number): void {
  if (gain) gain.gain.value = value
}

/** Safari suspends an AudioContext in the background, and mutes it with the ringer, unless the page says that it is a player. */
function keepPlayingWhenLocked(): void {
  const { audioSession } = navigator as { audioSession?: { type: string } }
  if (audioSession) audioSession.type = 'playback'
}
