import { expect, test } from 'vitest'
import { isBlank, oneLine, withLineFeeds } from '../src/index.ts'

test('a text of which a reader would see nothing is blank', () => {
  const invisible = ['', ' \t\n\u0085\u2003', '\u200b', '\u2060', '\ufeff', '\u2800', '\u3164', '\u00ad']
  for (const text of [...invisible, '\u115f\u1160\uffa0', '\u202e \u2066', '\ufe0f\u{e0100}'])
    expect([text, isBlank(text)]).toEqual([text, true])
  for (const text of ['x', '\u200b.', '🔥', '\u0301', '한', '\u{1f469}\u200d'])
    expect([text, isBlank(text)]).toEqual([text, false])
})

test('every mandatory line break of Unicode is a line feed on screen and in mails', () => {
  const text = 'one\u000btwo\u2028three\u0085four\rfive\r\nsix\u2029seven\fnine\n\nend'
  expect(withLineFeeds(text).split('\n')).toEqual('one two three four five six seven nine  end'.split(' '))
})

test('a text on one line keeps its words apart', () => {
  expect(oneLine(' one\u000btwo\u2028three\u0085four\u0000five\r\nsix\t ')).toBe(
    'one two three four five six',
  )
})
