import type { Brief } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { generatorRequest } from '../src/domain/generator-request.ts'

const ROWS: readonly [brief: Brief | null, expected: Partial<ReturnType<typeof generatorRequest>>][] = [
  [null, {}],
  [{}, {}],
  [
    { tempoBpm: 96, keepWords: true },
    { bpm: 96, keepWords: true },
  ],
  [{ keepWords: false, reference: 'https://sounds.example/a-person' }, {}],
  [
    { genre: 'highlife', mood: ' warm\n and slow ', voice: 'alto', instruments: ['horns', 'bass'] },
    { prompt: 'folk, highlife, warm and slow, alto, horns, bass' },
  ],
  [{ language: 'English' }, { vocalLanguage: 'en' }],
  [{ language: ' francais ' }, { vocalLanguage: 'fr' }],
  [{ language: 'Inglês' }, { vocalLanguage: 'en' }],
  [{ language: 'Deutsch' }, { vocalLanguage: 'de' }],
  [{ language: '日本語' }, { vocalLanguage: 'ja' }],
  [{ language: 'Cantonese' }, { vocalLanguage: 'yue' }],
  [{ language: 'pt-BR' }, { vocalLanguage: 'pt' }],
  [{ language: 'Indonesian' }, { vocalLanguage: 'id' }],
  // none that the generator was made for
  [{ language: 'Yoruba' }, { vocalLanguage: 'yo', prompt: 'folk, Yoruba' }],
  [{ genre: 'afrobeat', language: 'Pidgin' }, { prompt: 'folk, afrobeat, Pidgin' }],
  [{ language: 'English and French' }, { prompt: 'folk, English and French' }],
]
test.for(ROWS)('of the brief %j the generator gets %j', ([brief, expected]) => {
  const lyrics = '[verse]\nla la'
  const plain = { lyrics, prompt: 'folk', bpm: null, vocalLanguage: null, keepWords: false }
  expect(generatorRequest({ lyrics: '[verse]\u2028la la', style: 'folk', brief })).toEqual({
    ...plain,
    ...expected,
  })
})
