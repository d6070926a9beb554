import { expect, test, vi } from 'vitest'

/** What the module uses of an audio element: its address, whether it was asked to play, and its errors. */
class FakeAudio extends EventTarget {
  src = ''
  currentTime = 0
  paused = true
  readyState = 0
  play = vi.fn<() => Promise<void>>(() => {
    this.paused = false
    return Promise.resolve()
  })
  pause(): void {
    this.paused = true
  }
}

test('audio that its store refuses is fetched once through the gateway, and plays on where it was', async () => {
  const element = new FakeAudio()
  vi.stubGlobal('Audio', function Audio() {
    return element
  })
  vi.stubGlobal('location', { href: 'https://songs.example/' })
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('HTMLMediaElement', { HAVE_NOTHING: 0, HAVE_FUTURE_DATA: 3 })
  const { play } = await import('../src/audio/shared-audio.ts')
  const src = '/api/songs/s1/versions/1?take=1'
  play('s1:1', src, { fromMs: 7_000 })
  element.currentTime = 0
  element.dispatchEvent(new Event('error'))
  const inside = `https://songs.example${src}&inside=1`
  expect([element.src, element.currentTime, element.play.mock.calls.length]).toEqual([inside, 7, 2])

  element.dispatchEvent(new Event('error'))
  expect([element.src, element.play.mock.calls.length]).toEqual([inside, 2])

  // a click tries the store again; a sample of the landing page comes from no store
  play('s1:1', src)
  expect(element.src).toBe(src)
  play('sample', '/samples/a.mp3')
  element.dispatchEvent(new Event('error'))
  expect(element.src).toBe('/samples/a.mp3')
})
