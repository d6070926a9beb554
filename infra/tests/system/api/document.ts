import { Compile } from 'typebox/schema'
import { expect } from 'vitest'
import type { Caller, Reply } from '../../support/callers.ts'

type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

export interface NamedOperation {
  /** `POST /api/songs/{id}` */
  readonly name: string
  readonly path: string
  readonly operation: Operation
}

export const operationsOf = (document: Document): NamedOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

/** A validator for a schema of this document, with its references. */
export const compile = ({ components }: Document, schema: Schema) =>
  Compile({ ...schema, components } as Schema)

/** A caller that checks every answer against the document; `called` collects the operations. */
export function checked(document: Document, call: Caller, called: Set<string>): Caller {
  return async <T>(...args: Parameters<Caller>) => {
    const [method, path] = args
    const reply = await call<T>(...args)
    called.add(assertDocumented(document, method, path, reply))
    return reply
  }
}

/** Checks one answer; returns the operation's name. */
export function assertDocumented(
  document: Document,
  method: string,
  path: string,
  reply: Pick<Reply<unknown>, 'status' | 'headers' | 'body'>,
): string {
  const [plain = ''] = path.split('?', 1)
  const found = documentedAt(document, plain).find(({ name }) => name.startsWith(`${method} `))
  if (!found) throw new Error(`${method} ${plain} is not documented`)
  const { operation, name } = found
  const { status, headers, body } = reply
  const answer = operation.responses[status]
  if (!answer) throw new Error(`${name} answered ${status}, which is not documented: ${JSON.stringify(body)}`)
  const type = headers['content-type']?.split(';', 1)[0]
  if (answer.content === undefined) {
    expect([name, status, body]).toEqual([name, status, ''])
    return name
  }
  const media = answer.content[type ?? ''] ?? answer.content[`${type?.split('/', 1)[0]}/*`]
  if (!media) throw new Error(`${name} answered ${status} as ${type}, which is not documented`)
  if (type?.includes('json')) {
    const [isValid, errors] = compile(document, media.schema).Errors(body)
    if (!isValid) throw new Error(`${name} ${status}: ${JSON.stringify(errors)} in ${JSON.stringify(body)}`)
  }
  return name
}

/** The operations that match a path, those without parameters first. */
const documentedAt = (document: Document, sent: string): NamedOperation[] =>
  operationsOf(document)
    .filter(({ path }) => patternOf(path).test(sent))
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
