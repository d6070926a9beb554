import { invalid } from './stripe-error.ts'

/** Form parameters with brackets, as a tree: `a[b][0]=c` is `{a: {b: {0: 'c'}}}`. */
export type Tree = string | { readonly [key: string]: Tree }

interface Branch {
  [key: string]: string | Branch
}

const emptyBranch = (): Branch => Object.create(null) as Branch

export function parseForm(body: string): Tree {
  const root = emptyBranch()
  for (const [key, value] of new URLSearchParams(body)) {
    const path = key.split(/\[|\]\[|\]/).filter((part, i, all) => part !== '' || i < all.length - 1)
    let branch = root
    for (const part of path.slice(0, -1)) {
      const next = (branch[part] ??= emptyBranch())
      if (typeof next === 'string') throw invalid('parameter_invalid', key, `Invalid parameter: ${key}`)
      branch = next
    }
    const last = path.at(-1) ?? ''
    branch[last === '' ? String(Object.keys(branch).length) : last] = value
  }
  return root
}

/** Reads one parameter; `path` is its name in errors. */
type Reader<T> = (tree: Tree | undefined, path: string) => T

/** Exactly these parameters: others are refused, as at Stripe. */
export const fields =
  <T extends Record<string, Reader<unknown>>>(
    readers: T,
  ): Reader<{ [K in keyof T]: T[K] extends Reader<infer V> ? V : never }> =>
  (tree, path) => {
    const branch = branchOf(tree, path)
    for (const key of Object.keys(branch)) {
      const param = inside(path, key)
      if (!Object.hasOwn(readers, key))
        throw invalid('parameter_unknown', param, `Received unknown parameter: ${param}`)
    }
    const values = Object.entries(readers).map(([key, read]) => [key, read(branch[key], inside(path, key))])
    return Object.fromEntries(values) as { [K in keyof T]: T[K] extends Reader<infer V> ? V : never }
  }

export const optional =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (tree, path) =>
    tree === undefined ? undefined : read(tree, path)

export const text =
  (maxLength = 5_000): Reader<string> =>
  (tree, path) => {
    if (tree === undefined) throw invalid('parameter_missing', path, `Missing required param: ${path}.`)
    if (typeof tree !== 'string') throw invalid('parameter_invalid', path, `Invalid string: ${path}`)
    if (tree === '')
      throw invalid('parameter_invalid_empty', path, `You passed an empty string for '${path}'.`)
    if (tree.length > maxLength)
      throw invalid(
        'parameter_invalid',
        path,
        `Invalid string: ${path} must be at most ${maxLength} characters`,
      )
    return tree
  }

export const oneOf =
  (...values: string[]): Reader<string> =>
  (tree, path) => {
    const value = text()(tree, path)
    if (!values.includes(value))
      throw invalid('parameter_invalid', path, `Invalid ${path}: must be one of ${values.join(', ')}`)
    return value
  }

export const integer =
  (min: number, max: number): Reader<number> =>
  (tree, path) => {
    const value = text()(tree, path)
    if (!/^-?\d{1,15}$/.test(value))
      throw invalid('parameter_invalid_integer', path, `Invalid integer: ${value}`)
    if (Number(value) < min)
      throw invalid('parameter_invalid_integer', path, `This value must be greater than or equal to ${min}.`)
    if (Number(value) > max)
      throw invalid('parameter_invalid_integer', path, `This value must be less than or equal to ${max}.`)
    return Number(value)
  }

export const url: Reader<string> = (tree, path) => {
  const value = text()(tree, path)
  // the placeholder's braces are not valid in a URL
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw invalid('url_invalid', path, 'Not a valid URL')
  return value
}

export const email: Reader<string> = (tree, path) => {
  const value = text(512)(tree, path)
  if (!/^[^\s@]+@[^\s@]+$/.test(value))
    throw invalid('email_invalid', path, `Invalid email address: ${value}`)
  return value
}

export const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (tree, path) => {
    const branch = branchOf(tree, path)
    return Object.keys(branch).map((key) => {
      if (!/^\d+$/.test(key)) throw invalid('parameter_invalid', path, `Invalid array: ${path}`)
      return read(branch[key], inside(path, key))
    })
  }

/** At most 50 keys of 40 characters, values of 500. */
export const metadata: Reader<Record<string, string>> = (tree, path) => {
  const entries = Object.entries(branchOf(tree, path))
  if (entries.length > 50) throw invalid(null, path, 'Metadata can have at most 50 keys.')
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key.length > 40) throw invalid(null, path, 'Metadata keys can have at most 40 characters.')
      return [key, text(500)(value, inside(path, key))]
    }),
  )
}

const inside = (path: string, key: string): string => (path === '' ? key : `${path}[${key}]`)

function branchOf(tree: Tree | undefined, path: string): { readonly [key: string]: Tree } {
  if (tree === undefined) throw invalid('parameter_missing', path, `Missing required param: ${path}.`)
  if (typeof tree === 'string') throw invalid('parameter_invalid', path, `Invalid object: ${path}`)
  return tree
}
