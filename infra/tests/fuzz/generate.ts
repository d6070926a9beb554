/** Values for a JSON schema: mostly valid, from what earlier answers returned, and sometimes anything else. */

export type Schema = Readonly<Record<string, unknown>>

/** All choices follow from the seed (mulberry32). */
export interface Random {
  /** From 0 to below `below`. */
  whole(below: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
}

export function randomOf(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number): number => Math.floor(next() * below)
  return {
    whole,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const [first] = from
      return from[whole(from.length)] ?? first!
    },
  }
}

/** What a text, a number or anything else may be, though no schema asks for it. */
const ODD_TEXTS = [
  '',
  ' \u2800',
  'é'.repeat(300),
  'x'.repeat(10_001),
  '\u0000',
  '\ud800',
  '\u202e🎵',
  "'; drop table song; --",
  '=1+1',
  '<b>&amp;',
  '../..',
  '%00',
]
const ODD_NUMBERS = [-1, 0, 0.005, 1e-9, 24.99, 25, 5000.01, 1e15, 2 ** 53, -0.25]
export const ODD: readonly unknown[] = [null, true, [], {}, [[]], ...ODD_TEXTS, ...ODD_NUMBERS]
const WORDS = ['la la la', 'slow folk', 'Rain', 'نشيد', 'a', 'noise in the second verse']

/** By the name of a field: what the product has answered. */
export type Known = (name: string) => unknown

const ODD_SHARE = 0.04

export function generate(random: Random, schema: Schema, known: Known, name = ''): unknown {
  // wrong ones would lock the operator out for a quarter of an hour
  const isPassword = name === 'password'
  if (!isPassword && random.chance(ODD_SHARE)) return random.pick(ODD)
  if (isPassword || random.chance(0.7)) {
    const value = known(name)
    if (value !== undefined) return value
  }
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined
  if (choices) return generate(random, random.pick(choices), known, name)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[])
  return ofType(random, schema, known, name)
}

function ofType(random: Random, schema: Schema, known: Known, name: string): unknown {
  switch (schema['type']) {
    case 'object': {
      const required = new Set((schema['required'] as readonly string[] | undefined) ?? [])
      const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
      const chosen = fields.filter(([field]) => random.chance(required.has(field) ? 0.97 : 0.5))
      return Object.fromEntries(chosen.map(([field, one]) => [field, generate(random, one, known, field)]))
    }
    case 'array': {
      const items = (schema['items'] ?? {}) as Schema
      return Array.from({ length: random.whole(4) }, () => generate(random, items, known, name))
    }
    case 'integer':
      return random.whole(3) + Number(schema['minimum'] ?? 0)
    case 'number':
      return random.pick([1, 10, 25.5, 100, 37_000])
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return random.pick(WORDS)
  }
}
