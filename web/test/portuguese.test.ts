import './browser.ts'
import { expect, test } from 'vitest'
import { messagesIn } from './catalogues.ts'

/** The catalogue's sentences; those that take parameters as they are written. */
const sentences = (of: unknown): string[] =>
  typeof of === 'string'
    ? [of]
    : typeof of === 'function'
      ? [String(of)]
      : typeof of === 'object' && of !== null
        ? Object.values(of).flatMap(sentences)
        : []

const WORDS: [what: string, word: string, not: RegExp][] = [
  ['a song', 'música', /canç(ão|ões)/i],
  ['changes of a song', 'mudanças', /alteraç(ão|ões)/i],
  ['the settings of a browser', 'configurações', /definiç(ão|ões)/i],
  ['a file', 'arquivo', /fi[ck]heiros?/i],
  ['a screen', 'tela', /ecrãs?/i],
  ['a password', 'senha', /palavras?-passe/i],
  ['a person with an account', 'você', /utilizador|usuári[oa]|\b(teu|tua|contigo)\b/i],
  ['to fetch a file', 'baixar', /descarreg/i],
  ['to close an account', 'encerrar', /fech\p{L}+ (\p{L}+ )?conta|conta fechada/iu],
  ['to share', 'compartilhar', /partilh(?<!compartilh)/i],
  ['what is going on', 'está sendo feita', /\best(á|ão|ava) a \p{L}+r\b/iu],
]
test('Portuguese, as in Brazil, has one word for one thing', async () => {
  const all = sentences(await messagesIn('pt'))
  expect(all.length).toBeGreaterThan(500)
  const others = WORDS.flatMap(([, word, not]) =>
    all.filter((one) => not.test(one)).map((one) => `not "${word}": ${one}`),
  )
  expect(others).toEqual([])
})
