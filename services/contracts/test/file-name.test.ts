import { expect, test } from 'vitest'
import { asFileName } from '../src/index.ts'

test('a title becomes the name of a file', () => {
  expect(asFileName(' a/b:\n"c" ..')).toBe('a b c')
  expect(asFileName('///')).toBe('Untitled')
  expect(asFileName('a👩🏽‍🎤\u202eb می‌خواهم')).toBe('a👩🏽‍🎤 b می‌خواهم')
  expect(['NUL', 'com1.live', 'LPT²', 'Con .x', 'Console', 'con amore', 'com⁴'].map(asFileName)).toEqual([
    'NUL_',
    'com1_.live',
    'LPT²_',
    'Con_ .x',
    'Console',
    'con amore',
    'com⁴',
  ])
  expect(asFileName('x'.repeat(120))).toBe('x'.repeat(100))
})

test('a name in any script leaves room in the 255 bytes of a file system, and no character is cut', () => {
  for (const character of ['é', 'ह', '歌', '🎵']) {
    const name = asFileName(character.repeat(100))
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(180)
    expect(name.replaceAll(character, '')).toBe('')
    expect(name.length).toBeGreaterThan(40)
  }
})
