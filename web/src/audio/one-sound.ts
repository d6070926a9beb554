import { useCallback, useEffect, useSyncExternalStore } from 'react'

/** One sound at a time, everywhere: a single audio element for all players, and a word to the other tabs. */

interface Sound {
  readonly id: string | null
  readonly playing: boolean
  /** It should sound, and waits for the network. */
  readonly loading: boolean
  readonly positionMs: number
  readonly durationMs: number
  /** The browser refused to start without a click. */
  readonly blocked: boolean
  readonly failed: boolean
}

const SILENT: Sound = {
  id: null,
  playing: false,
  loading: false,
  positionMs: 0,
  durationMs: 0,
  blocked: false,
  failed: false,
}
const tab = crypto.randomUUID()
const channel = new BroadcastChannel('prelude-sound')
const listeners = new Set<() => void>()
let sound: Sound = SILENT
let element: HTMLAudioElement | undefined

function change(next: Partial<Sound>): void {
  sound = { ...sound, ...next }
  for (const listener of listeners) listener()
}

function audio(): HTMLAudioElement {
  if (element) return element
  const made = new Audio()
  made.preload = 'metadata'
  const follow = (): void => {
    // until it knows its file it stands at 0, wherever it was told to begin
    if (made.readyState === HTMLMediaElement.HAVE_NOTHING) return
    change({
      positionMs: made.currentTime * 1000,
      durationMs: Number.isFinite(made.duration) ? made.duration * 1000 : 0,
    })
  }
  for (const event of ['timeupdate', 'loadedmetadata', 'durationchange', 'seeked'])
    made.addEventListener(event, follow)
  made.addEventListener('play', () => change({ playing: true, blocked: false }))
  made.addEventListener('waiting', () => change({ loading: true }))
  for (const event of ['playing', 'canplay', 'pause', 'error'])
    made.addEventListener(event, () => change({ loading: false }))
  made.addEventListener('pause', () => change({ playing: false }))
  made.addEventListener('ended', () => change({ playing: false }))
  made.addEventListener('error', () => change({ playing: false, failed: true }))
  element = made
  return made
}

channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
  if (data !== tab) element?.pause()
})

/** Starts `src` as sound `id`; at `fromMs` when given, else where it stood. */
export function play(id: string, src: string, options: { fromMs?: number; volume?: number } = {}): void {
  const player = audio()
  if (sound.id !== id) {
    player.pause()
    player.src = src
    player.volume = 1
    change({ ...SILENT, id })
  }
  if (sound.failed) {
    // loaded anew, where it broke off
    const stoodMs = sound.positionMs
    player.src = src
    player.currentTime = stoodMs / 1000
    change({ failed: false })
  }
  if (options.fromMs !== undefined) {
    player.currentTime = options.fromMs / 1000
    change({ positionMs: options.fromMs })
  }
  if (options.volume !== undefined) player.volume = options.volume
  channel.postMessage(tab)
  if (player.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) change({ loading: true })
  player.play().catch((error: DOMException) => {
    if (error.name === 'NotAllowedError') change({ blocked: true, playing: false, loading: false })
  })
}

/** 1 is as loud as the file. */
export function setVolume(id: string, volume: number): void {
  if (element && sound.id === id) element.volume = volume
}

/** The element knows before its events have told. */
const isPlaying = (id: string): boolean => sound.id === id && !sound.failed && element?.paused === false

export const pause = (): void => element?.pause()

export function seek(ms: number): void {
  if (element) element.currentTime = Math.max(0, ms) / 1000
}

/** The state of one sound; silent while another one has the element. */
export function useSound(id: string, src: string) {
  const subscribe = useCallback((listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, [])
  const now = useSyncExternalStore(subscribe, () => sound)
  const mine = now.id === id ? now : SILENT
  return {
    ...mine,
    play: (options?: { fromMs?: number; volume?: number }) => play(id, src, options),
    pause,
    toggle: () => (isPlaying(id) ? pause() : play(id, src)),
  }
}

/** Stops the sound when the part of the page that plays it goes away. */
export function useSilenceOnLeave(id: string): void {
  useEffect(
    () => () => {
      if (sound.id === id) pause()
    },
    [id],
  )
}
