import { useEffect, useRef, useSyncExternalStore } from 'react'
import { connect, resume, setGain } from './loudness.ts'
import { controlByMediaSession } from './media-session.ts'

/** A single audio element shared by all players, so that one sound plays at a time; a broadcast pauses the other tabs. */

interface Sound {
  readonly id: string | null
  readonly playing: boolean
  /** Playing was requested; data is still loading. */
  readonly loading: boolean
  readonly positionMs: number
  readonly durationMs: number
  /** The browser's autoplay policy refused to start without a click. */
  readonly blocked: boolean
  /** Right now, or in this browser always: it has the file, and cannot play it. */
  readonly failed: false | 'now' | 'here'
}

const IDLE: Sound = {
  id: null,
  playing: false,
  loading: false,
  positionMs: 0,
  durationMs: 0,
  blocked: false,
  failed: false,
}
const tabId = crypto.randomUUID()
const channel = new BroadcastChannel('prelude-sound')
const listeners = new Set<() => void>()
let sound: Sound = IDLE
let element: HTMLAudioElement | undefined
/** Where sounds that are not current begin, in ms, by id: chosen on their sliders before they play. */
const cues = new Map<string, number>()

function update(next: Partial<Sound>): void {
  sound = { ...sound, ...next }
  for (const listener of listeners) listener()
}

function audio(): HTMLAudioElement {
  if (element) return element
  const created = new Audio()
  created.preload = 'metadata'
  // audio that the object store serves itself can be heard through a GainNode only when it allows this origin
  created.crossOrigin = 'anonymous'
  const updatePosition = (): void => {
    // before metadata is loaded currentTime is 0, whatever was set
    if (created.readyState === HTMLMediaElement.HAVE_NOTHING) return
    update({
      positionMs: created.currentTime * 1000,
      durationMs: Number.isFinite(created.duration) ? created.duration * 1000 : 0,
    })
  }
  for (const event of ['timeupdate', 'loadedmetadata', 'durationchange', 'seeked'])
    created.addEventListener(event, updatePosition)
  created.addEventListener('play', () => update({ playing: true, blocked: false }))
  created.addEventListener('waiting', () => update({ loading: true }))
  for (const event of ['playing', 'canplay', 'pause'])
    created.addEventListener(event, () => update({ loading: false }))
  created.addEventListener('pause', () => update({ playing: false }))
  created.addEventListener('ended', () => update({ playing: false }))
  created.addEventListener('error', () => {
    if (loadInside(created)) return
    update({ playing: false, loading: false, failed: 'now' })
    const { src } = created
    void isServed(src).then(
      (served) => served && sound.failed && created.src === src && update({ failed: 'here' }),
    )
  })
  controlByMediaSession(created, () => {
    if (sound.id !== null) start(created)
  })
  element = created
  return created
}

/** Whether the failure is that of the browser. A file of this machine needs no server. */
const isServed = async (src: string): Promise<boolean> =>
  src.startsWith('blob:') ||
  fetch(src, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Once for each sound: an object store to which the gateway redirects may refuse this page (CORS) or an address that is too old,
 * and with `inside=1` the gateway sends the same audio. Answers whether it was tried.
 */
function loadInside(player: HTMLAudioElement): boolean {
  const address = new URL(player.src, location.href)
  if (!address.pathname.startsWith('/api/songs/') || address.searchParams.has('inside')) return false
  address.searchParams.set('inside', '1')
  const isWanted = !player.paused
  player.src = address.href
  player.currentTime = sound.positionMs / 1000
  if (isWanted) start(player)
  return true
}

channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
  if (data !== tabId) element?.pause()
})

interface PlayOptions {
  readonly fromMs?: number
  /** Given: the loudness can be set later too, by `setLoudness`. */
  readonly gain?: number
}

/**
 * Plays `src` as sound `id`, from `fromMs` when given, else from where `seek` put it, else from its last position. To be called in the handler of a gesture,
 * not after a promise or in an effect: Safari plays nothing that starts later.
 */
export function play(id: string, src: string, { fromMs, gain }: PlayOptions = {}): void {
  const player = audio()
  if (gain !== undefined) connect(player)
  if (sound.id !== id) {
    player.pause()
    player.src = src
    setGain(gain ?? 1)
    update({ ...IDLE, id })
    fromMs ??= cues.get(id)
  }
  cues.delete(id)
  if (sound.failed) {
    // load it again and continue where it failed
    const resumeMs = sound.positionMs
    player.src = src
    player.currentTime = resumeMs / 1000
    update({ failed: false })
  }
  if (fromMs !== undefined) {
    player.currentTime = fromMs / 1000
    update({ positionMs: fromMs })
  }
  start(player)
}

function start(player: HTMLAudioElement): void {
  resume()
  channel.postMessage(tabId)
  if (player.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) update({ loading: true })
  player.play().catch((error: DOMException) => {
    if (error.name === 'NotAllowedError') update({ blocked: true, playing: false, loading: false })
  })
}

/** 1 is the file's own loudness. */
export function setLoudness(id: string, gain: number): void {
  if (sound.id === id) setGain(gain)
}

/** The position of the current sound if its id begins so, and it has not ended; else 0. */
export const positionWithin = (prefix: string): number =>
  sound.id?.startsWith(prefix) === true && element?.ended !== true ? sound.positionMs : 0

/** element.paused changes before its event fires. */
const isPlaying = (id: string): boolean => sound.id === id && !sound.failed && element?.paused === false

/** Pauses the sound if it is the one that plays. */
export function pause(id: string): void {
  if (sound.id === id) element?.pause()
}

/** Ends the current sound if its id begins so; played again, it begins at its start. */
export function stop(prefix: string): void {
  for (const id of cues.keys()) if (id.startsWith(prefix)) cues.delete(id)
  if (sound.id?.startsWith(prefix) !== true) return
  update(IDLE)
  // without a source it has nothing to show in the system's media controls
  element?.removeAttribute('src')
  element?.load()
}

/** Also before it plays. */
export function seek(id: string, ms: number): void {
  const positionMs = Math.max(0, ms)
  if (!element || sound.id !== id) {
    cues.set(id, positionMs)
    return update({})
  }
  element.currentTime = positionMs / 1000
  // at once, not when the element has sought: the next key counts from here
  update({ positionMs })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const currentSound = (): Sound => sound

/** What the id of the sound that plays has after `prefix`; null when none with it plays. */
export const usePlaying = (prefix: string): string | null =>
  useSyncExternalStore(subscribe, () =>
    sound.playing && sound.id?.startsWith(prefix) === true ? sound.id.slice(prefix.length) : null,
  )

/** The id of the current sound, also while it is paused. */
export const useCurrentId = (): string | null => useSyncExternalStore(subscribe, () => sound.id)

/**
 * State and controls of one sound; idle while the element plays another one. When the component shows another sound, because
 * a file was replaced or there is a new take, that one plays on in place of the former, from the same position.
 */
export function useSound(id: string, src: string) {
  const current = useSyncExternalStore(subscribe, currentSound, currentSound)
  const isShownPlaying = current.id === id && current.playing
  const shown = useRef({ id, isPlaying: false })
  useEffect(() => {
    const former = shown.current
    shown.current = { id, isPlaying: isShownPlaying }
    if (former.id === id || sound.id !== former.id) return
    if (former.isPlaying) play(id, src, { fromMs: sound.positionMs })
    else stop(former.id)
  }, [id, src, isShownPlaying])
  return {
    ...(current.id === id ? current : { ...IDLE, positionMs: cues.get(id) ?? 0 }),
    isCurrent: current.id === id,
    toggle: (options?: PlayOptions) => (isPlaying(id) ? pause(id) : play(id, src, options)),
  }
}

/** Pauses the sound when the component that plays it unmounts. */
export function usePauseOnUnmount(id: string): void {
  useEffect(() => () => pause(id), [id])
}
