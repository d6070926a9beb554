import { expect, test } from 'vitest'
import { blocksOf, partsOf } from '../src/features/legal/blocks.ts'

test('titles, headings, paragraphs and lists, with Windows line ends too', () => {
  const text =
    '# Terms\nSongs Ltd\n1 Road\n\n## Refunds\n- one\n  goes on\n- two\n\n- three\nnot\n#hashtag\n-5'
  const blocks = [
    { kind: 'title', texts: ['Terms'] },
    { kind: 'paragraph', texts: ['Songs Ltd\n1 Road'] },
    { kind: 'heading', texts: ['Refunds'] },
    { kind: 'list', texts: ['one\ngoes on', 'two'] },
    { kind: 'list', texts: ['three\nnot\n#hashtag\n-5'] },
  ]
  expect(blocksOf(text)).toEqual(blocks)
  expect(blocksOf(text.replaceAll('\n', '\r\n'))).toEqual(blocks)
})

const LINKS: [text: string, parts: readonly object[]][] = [
  [
    'See [our site](https://songs.example/a?b=c), or https://songs.example.',
    [
      { text: 'See ' },
      { text: 'our site', href: 'https://songs.example/a?b=c' },
      { text: ', or ' },
      { text: 'https://songs.example', href: 'https://songs.example' },
      { text: '.' },
    ],
  ],
  [
    'mailto:help@songs.example!',
    [{ text: 'help@songs.example', href: 'mailto:help@songs.example' }, { text: '!' }],
  ],
  [
    '[one](javascript:alert) [two](/path) http://songs.example <b>',
    [{ text: '[one](javascript:alert) [two](/path) http://songs.example <b>' }],
  ],
]
test('links are those of https and mailto', () => {
  expect(LINKS.map(([text]) => [text, partsOf(text)])).toEqual(LINKS)
})
