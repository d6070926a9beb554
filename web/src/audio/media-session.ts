import { useEffect } from 'react'

/** What a lock screen, a headset's buttons and a keyboard's media keys show and control. */

const SKIP_SECONDS = 10

/** Connects the controls to the element; `start` plays it as the page's own controls do. Call once. */
export function controlByMediaSession(element: HTMLMediaElement, start: () => void): void {
  if (!('mediaSession' in navigator)) return
  const { mediaSession } = navigator
  const seekTo = (seconds: number): void => {
    element.currentTime = Math.max(0, seconds)
  }
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: start,
    pause: () => element.pause(),
    stop: () => element.pause(),
    seekto: ({ seekTime }) => seekTo(seekTime ?? element.currentTime),
    seekbackward: ({ seekOffset }) => seekTo(element.currentTime - (seekOffset ?? SKIP_SECONDS)),
    seekforward: ({ seekOffset }) => seekTo(element.currentTime + (seekOffset ?? SKIP_SECONDS)),
  }
  for (const [action, handler] of Object.entries(handlers))
    try {
      mediaSession.setActionHandler(action as MediaSessionAction, handler)
    } catch {
      // a browser that does not know this action
    }
  element.addEventListener('play', () => (mediaSession.playbackState = 'playing'))
  element.addEventListener('pause', () => (mediaSession.playbackState = 'paused'))
  element.addEventListener('emptied', () => (mediaSession.playbackState = 'none'))
  // between these events the position moves with the clock
  for (const event of ['loadedmetadata', 'playing', 'pause', 'seeked'])
    element.addEventListener(event, () => showPosition(element))
}

function showPosition({ duration, currentTime, playbackRate }: HTMLMediaElement): void {
  // a stream whose length is unknown has no position to show
  if (!Number.isFinite(duration) || duration === 0) return
  navigator.mediaSession.setPositionState({
    duration,
    position: Math.min(currentTime, duration),
    playbackRate,
  })
}

/** Names the sound while it is the current one. */
export function useMediaMetadata(isCurrent: boolean, title: string, artist: string): void {
  useEffect(() => {
    if (!isCurrent || !('mediaSession' in navigator)) return undefined
    const artwork = [{ src: '/icon-512.png', sizes: '512x512', type: 'image/png' }]
    navigator.mediaSession.metadata = new MediaMetadata({ title, artist, artwork })
    return () => {
      navigator.mediaSession.metadata = null
    }
  }, [isCurrent, title, artist])
}
