import { expect, test } from 'vitest'
import { apiDifferences, type Document, differences, type Schema } from './differences.ts'

const text: Schema = { type: 'string', maxLength: 10 }
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const then = object({ a: text, b: { type: ['string', 'null'] }, c: { enum: ['x', 'y'] } }, 'a')

test.for<[what: string, now: Schema, found: string[]]>([
  ['the same', then, []],
  ['more', object({ ...then.properties, d: text }, 'a'), []],
  ['wider', object({ ...then.properties, a: { type: 'string' }, c: { enum: ['x', 'y', 'z'] } }, 'a'), []],
  ['a field less', object({ a: text, b: then.properties!['b']! }, 'a'), ['it.c is gone']],
  ['a field that must be sent', object(then.properties!, 'a', 'b'), ['it.b is required']],
  ['a value less', object({ ...then.properties, c: { const: 'x' } }, 'a'), ['it.c has another form']],
  [
    'a shorter text',
    object({ ...then.properties, a: { ...text, maxLength: 9 } }, 'a'),
    ['it.a has another form'],
  ],
  ['a type less', object({ ...then.properties, b: { type: 'string' } }, 'a'), ['it.b has another form']],
])('what is taken: %s', ([, now, found]) => {
  expect(differences('it', then, now, 'input')).toEqual(found)
})

test('of two documents: a call that is gone, and a field of an answer that may be missing', () => {
  const get = (schema: Schema) => ({ get: { responses: { 200: { content: { json: { schema } } } } } })
  const before: Document = { paths: { '/a': get(then), '/b': get(then) } }
  const after: Document = { paths: { '/a': get(object(then.properties!)) } }
  expect(apiDifferences(before, after)).toEqual(['GET /a 200 json.a may be missing', 'GET /b is gone'])
})
