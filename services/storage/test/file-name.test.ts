import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { type Format, formatNamed } from '../src/domain/audio/format.ts'
import {
  attachment,
  downloadName,
  fromForm,
  markedName,
  originalName,
  safeName,
  titledName,
} from '../src/domain/file-name.ts'

const format = (name: string): Format => formatNamed(name) as Format
const mp3 = format('mp3')

const SAFE = [
  ['Song.MP3', 'mp3', 'Song.MP3'],
  ['my song (final) v2.mp3', 'mp3', 'my_song_final_v2.mp3'],
  ['Übergrößenträger.mp3', 'mp3', 'Ubergroentrager.mp3'],
  ['日本語.mp3', 'mp3', 'audio.mp3'],
  ['', 'mp3', 'audio.mp3'],
  ['.mp3', 'mp3', 'audio.mp3'],
  ['mp3', 'mp3', 'audio.mp3'],
  ['song', 'flac', 'song.flac'],
  ['song.wav', 'mp3', 'song.mp3'],
  ['page.html', 'mp3', 'page.html.mp3'],
  ['take.opus', 'opus', 'take.opus'],
  ['take.ogg', 'opus', 'take.ogg'],
  ['.hidden.mp3', 'mp3', 'hidden.mp3'],
  ['-rf.mp3', 'mp3', 'rf.mp3'],
] as const
test('the safe form of a name has plain letters and the extension of its format', () => {
  expect(SAFE.map(([name, of]) => [name, of, safeName(name, format(of))])).toEqual(SAFE)
})

const TITLED = [
  ['Rain', 'Rain (Version 2).mp3', 'Rain_Version_2.mp3'],
  [' a/b\\c: "d"\n? ', 'a b c d (Version 2).mp3', 'a_b_c_d_Version_2.mp3'],
  ['雨', '雨 (Version 2).mp3', 'Version_2.mp3'],
  ['...', 'Untitled (Version 2).mp3', 'Untitled_Version_2.mp3'],
  ['🎵'.repeat(120), `${'🎵'.repeat(45)} (Version 2).mp3`, 'Version_2.mp3'],
] as const
test('a version is saved under the title of its song', () => {
  const named = TITLED.map(([title]) => [title, titledName(title, 2, mp3)])
  expect(named).toEqual(TITLED.map(([title, name, safe]) => [title, { name, safe }]))
})

test('every safe form is a plain name of at most 100 characters with a true extension', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('mp3', 'wav', 'm4a'),
      (given, name) => {
        const safe = safeName(originalName(given), format(name))
        expect(safe).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
        expect(format(name).extensions).toContain(safe.slice(safe.lastIndexOf('.') + 1).toLowerCase())
        expect(markedName(safe, '3fa9c1')).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
        expect(markedName(safe, '3fa9c1')).not.toBe(safe)
      },
    ),
    { seed: inject('seed') },
  )
})

test('the original name keeps its letters and loses folders and hidden characters', () => {
  expect(originalName('می‌خواهم 👩🏽‍🎤.mp3')).toBe('می‌خواهم 👩🏽‍🎤.mp3')
  expect(originalName('../../etc/pass\u0000wd\u202e.mp3')).toBe('passwd.mp3')
  expect(originalName('C:\\Music\\Größe 1.mp3')).toBe('Größe 1.mp3')
  expect(originalName(null)).toBe('')
  expect(Array.from(originalName('🎵'.repeat(400)))).toHaveLength(255)
})

test('quotes that a browser wrote as %22 into a form are quotes again, and nothing else is decoded', () => {
  expect(fromForm('say %22la%22 at 100%25.mp3')).toBe('say "la" at 100%25.mp3')
  expect(originalName(fromForm('two%0D%0Alines.mp3'))).toBe('twolines.mp3')
})

test('a download is named like the file that was given', () => {
  const own = { originalName: 'Größe "1".mp3', format: mp3 }
  const name = downloadName(1, own, { originalName: 'other.mp3', format: mp3 })
  expect(attachment(name)).toBe(
    `attachment; filename="Groe_1.mp3"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.mp3`,
  )
  // Windows takes its name for a device
  const device = { originalName: 'Com1.mp3', format: mp3 }
  expect(downloadName(1, device, undefined)).toEqual({ name: 'Com1_.mp3', safe: 'Com1_.mp3' })
})

test('two versions of one name are distinguished', () => {
  const song = { originalName: 'song.mp3', format: mp3 }
  expect(downloadName(1, song, song)).toEqual({ name: 'song (1).mp3', safe: 'song (1).mp3' })
  expect(downloadName(2, song, { ...song, originalName: 'Song.mp3' })).toMatchObject({
    name: 'song (2).mp3',
  })
  const nameless = { originalName: '', format: mp3 }
  expect(downloadName(2, nameless, nameless)).toMatchObject({ name: 'audio (2).mp3' })
})
