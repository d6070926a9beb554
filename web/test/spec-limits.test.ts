import './browser.ts'
import { Buffer } from 'node:buffer'
import type { UploadOptions } from 'tus-js-client'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { excerpt } from '../src/features/operator/excerpt.ts'
import { uploadFile } from '../src/features/operator/upload-file.ts'
import { watchdog } from '../src/features/operator/watchdog.ts'
import { withRetry } from '../src/features/operator/send-form.ts'
import { OPERATION_RETRY_MS } from '../src/features/operator/upload-handle.ts'
import { ApiProblem } from '../src/api/client.ts'
import { afterTick, atEachHashtag } from '../src/state/timing.ts'
import { loadTexts } from './rendered.tsx'
import { ALBUM_LYRICS_POINTS, ALBUM_STYLE_POINTS, truncate } from '../src/text/truncate.ts'

/** The lengths, times and sizes of the specification, with a clock that the test moves. */

/** The upload under way, in place of one over the network. */
let upload: { readonly options: Partial<UploadOptions> }
vi.mock('tus-js-client', () => ({
  DetailedError: class extends Error {},
  Upload: class {
    readonly options: Partial<UploadOptions>
    constructor(_file: File, options: UploadOptions) {
      this.options = options
      upload = { options }
    }
    abort = (): Promise<void> => Promise.resolve()
    start = (): void => {}
    findPreviousUploads = (): Promise<never[]> => Promise.resolve([])
  },
}))

beforeAll(loadTexts)
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE_MS = 60_000

const SHORTENED = [
  ['a style in the album', 35, (text: string) => truncate(text, ALBUM_STYLE_POINTS)],
  ['lyrics in the album', 40, (text: string) => truncate(text, ALBUM_LYRICS_POINTS)],
  ['a text in the lists of the operator', 40, excerpt],
] as const
test('texts in lists have so many characters, then an ellipsis', () => {
  for (const [what, length, shorten] of SHORTENED) {
    const whole = '🎵'.repeat(length)
    expect([what, shorten(whole), shorten(`${whole}x`)]).toEqual([what, whole, `${whole}…`])
  }
  expect(truncate('one\r\ntwo\u2028three', 7)).toBe('one\ntwo…')
})

test('a copied text is confirmed for 1.5 s', () => {
  const end = vi.fn<() => void>()
  afterTick(end)
  vi.advanceTimersByTime(1_499)
  expect(end).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(end).toHaveBeenCalledTimes(1)
  afterTick(end)()
  vi.advanceTimersByTime(MINUTE_MS)
  expect(end).toHaveBeenCalledTimes(1)
})

test('the hashtag changes every 2 s', () => {
  const showNext = vi.fn<() => void>()
  const leave = atEachHashtag(showNext)
  vi.advanceTimersByTime(1_999)
  expect(showNext).not.toHaveBeenCalled()
  vi.advanceTimersByTime(4_001)
  expect(showNext).toHaveBeenCalledTimes(3)
  leave()
  vi.advanceTimersByTime(MINUTE_MS)
  expect(showNext).toHaveBeenCalledTimes(3)
})

const FILE = new File([Buffer.alloc(10)], 'take.mp3', { type: 'audio/mpeg' })
const KIB = 1024

test('a file goes up in chunks of 262,144 bytes, which double up to 32 MB', () => {
  const { stop } = uploadFile(FILE, 'song/1', () => {})
  const sizes = Array.from({ length: 10 }, () => {
    const size = upload.options.chunkSize
    upload.options.onChunkComplete?.(0, 0, 0)
    return size
  })
  const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 128, 128].map((times) => times * 256 * KIB)
  expect(sizes).toEqual(doubled)
  expect(sizes[0]).toBe(262_144)
  stop()
})

test('an upload fails after 600 s without a further byte, and not before', async () => {
  const { finished } = uploadFile(FILE, 'song/2', () => {})
  const failed = vi.fn<(error: unknown) => void>()
  void finished.catch(failed)
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS)
  upload.options.onProgress?.(1, 10)
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS - 1)
  upload.options.onProgress?.(1, 10) // the same byte, sent again
  expect(failed).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(failed.mock.calls).toMatchObject([
    [{ code: 'upload_failed', message: 'Upload failed. Please try again.' }],
  ])
})

test('an operation is repeated for 120 s, and a silent request of it is given up after 120 s', async () => {
  const began = Date.now()
  const away = (): Promise<never> => Promise.reject(new ApiProblem(503, 'unavailable', 'away'))
  const work = vi.fn<() => Promise<never>>(away)
  const ended = withRetry(work, { limitMs: OPERATION_RETRY_MS, onRetry: () => {} }).catch(
    (error: unknown) => error,
  )
  await vi.runAllTimersAsync()
  expect(await ended).toMatchObject({ code: 'upload_failed' })
  expect(Date.now() - began).toBeGreaterThan(110_000)
  expect(Date.now() - began).toBeLessThanOrEqual(120_000)
  const silent = vi.fn<() => void>()
  watchdog(OPERATION_RETRY_MS, silent).restart()
  vi.advanceTimersByTime(119_999)
  expect(silent).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(silent).toHaveBeenCalledTimes(1)
})
