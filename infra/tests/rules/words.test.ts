import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

/** Every sentence of the app stands in the catalogue (web/src/messages), or it could not be said in another language. */

const SOURCES = resolve(import.meta.dirname, '../../../web/src')
/** Attributes and properties that people read or hear. */
const SAID = new Set([
  'label',
  'title',
  'aria-label',
  'aria-valuetext',
  'placeholder',
  'hint',
  'alt',
  'empty',
])
const isWords = (text: unknown): boolean => typeof text === 'string' && /\p{L}{2}/u.test(text)

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const nodesIn = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** What the markup itself says: text between tags, and literals in what is said. */
function wordsOf(node: Node, isSaid = false): string[] {
  if (node.type === 'JSXText' && isWords(node['value'])) return [String(node['value']).trim()]
  if (node.type === 'JSXAttribute') {
    const name = (node['name'] as Node)['name']
    const value = node['value']
    return isNode(value) ? wordsOf(value, typeof name === 'string' && SAID.has(name)) : []
  }
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return nodesIn(node).flatMap((child) => wordsOf(child, child.type === 'JSXExpressionContainer'))
  if (isSaid && node.type === 'Literal' && isWords(node['value'])) return [String(node['value'])]
  if (isSaid && node.type === 'TemplateElement') {
    const { raw } = node['value'] as { raw: string }
    return isWords(raw) ? [raw] : []
  }
  // what an expression compares, calls or looks up is not shown
  const shown = isSaid && SHOWN.has(node.type)
  return nodesIn(node).flatMap((child) => wordsOf(child, shown && child !== node['test']))
}
const SHOWN = new Set([
  'JSXExpressionContainer',
  'ConditionalExpression',
  'LogicalExpression',
  'TemplateLiteral',
])

const files = globSync('**/*.tsx', { cwd: SOURCES, exclude: ['gallery/**'] })

test('no component holds words of its own', () => {
  expect(files.length).toBeGreaterThan(20)
  const found = files.flatMap((file) => {
    const { program } = parseSync(file, readFileSync(join(SOURCES, file), 'utf8'))
    return wordsOf(program as unknown as Node).map((words) => `${file}: ${words}`)
  })
  expect(found).toEqual([])
})

test('words in markup are found', () => {
  for (const markup of [
    '<p>Hello</p>',
    '<p>{busy ? `Wait` : null}</p>',
    '<Field label="Name" />',
    '<p aria-label={a ? "On" : "Off"} />',
  ])
    expect(wordsOf(parseSync('one.tsx', `const one = ${markup}`).program as unknown as Node)).not.toEqual([])
})
