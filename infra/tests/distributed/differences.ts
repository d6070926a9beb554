import { VISIBLE } from '@prelude/contracts'

/** A JSON schema, as far as those of events, calls and the API document use it. */
export interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly [keyword: string]: unknown
}

/** Who writes by the schema: callers of this version ('input'), this version ('output'), or both sides of a call between versions. */
type Writer = 'input' | 'output' | 'both'

/** What breaks one who knows `then`: what is gone, required or narrower in `now`. */
export function differences(at: string, then: Schema, now: Schema | undefined, writer: Writer): string[] {
  if (now === undefined) return [`${at} is gone`]
  if (then.anyOf || now.anyOf) {
    const options = now.anyOf ?? [now]
    const isKept = (one: Schema) => options.some((other) => differences(at, one, other, writer).length === 0)
    const lost = (then.anyOf ?? [then]).filter((one) => !isKept(one))
    const [object] = options.filter((one) => one.properties)
    return lost.flatMap((one) =>
      one.properties && object ? differences(at, one, object, writer) : [`${at} has another form`],
    )
  }
  const { properties = {}, required = [], items, ...rest } = then
  const { properties: present = {}, required: requiredNow = [], items: itemsNow, ...restNow } = now
  const form =
    writer === 'both' ? JSON.stringify(rest) !== JSON.stringify(restNow) : isNarrower(rest, restNow)
  return [
    ...(form && Object.keys(then).length > 0 ? [`${at} has another form`] : []),
    ...(writer === 'input' ? [] : required)
      .filter((name) => !requiredNow.includes(name))
      .map((name) => `${at}.${name} may be missing`),
    ...(writer === 'output' ? [] : requiredNow)
      .filter((name) => !required.includes(name))
      .map((name) => `${at}.${name} is required`),
    ...Object.entries(properties).flatMap(([name, one]) =>
      differences(`${at}.${name}`, one, present[name], writer),
    ),
    ...(items ? differences(`${at}[]`, items, itemsNow, writer) : []),
  ]
}

/** A type or a value less, another pattern, or a tighter bound. */
function isNarrower(then: Schema, now: Schema): boolean {
  const bound = (schema: Schema, keyword: string, none: number): number => Number(schema[keyword] ?? none)
  // a text had to have a character, now one that can be seen: what looks empty was taken by mistake
  const isText = now['pattern'] === VISIBLE && Number(then['minLength']) >= 1
  const lacks = (of: (schema: Schema) => unknown[]): boolean =>
    of(now).length > 0 && (of(then).length === 0 || of(then).some((one) => !of(now).includes(one)))
  return (
    lacks(({ type = [] }) => [type].flat()) ||
    lacks(({ const: only, enum: values = only === undefined ? [] : [only] }) => [values].flat()) ||
    (now['pattern'] !== undefined && now['pattern'] !== then['pattern'] && !isText) ||
    ['maxLength', 'maximum', 'maxItems'].some(
      (one) => bound(now, one, Infinity) < bound(then, one, Infinity),
    ) ||
    ['minLength', 'minimum', 'minItems'].some(
      (one) => bound(now, one, -Infinity) > bound(then, one, -Infinity),
    )
  )
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The same of two OpenAPI documents: what breaks a program that was written by the first. */
export function apiDifferences(then: Document, now: Document): string[] {
  const [before, after] = [resolved(then), resolved(now)] as [Document, Document]
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const present = after.paths[path]?.[method]
      if (!present) return [`${name} is gone`]
      return [
        ...differences(`${name} parameters`, parametersOf(operation), parametersOf(present), 'input'),
        ...contents(`${name} body`, operation.requestBody?.content, present.requestBody?.content, 'input'),
        ...Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([status, { content }]) =>
            contents(`${name} ${status}`, content, present.responses[status]?.content, 'output'),
          ),
      ]
    }),
  )
}

const contents = (at: string, then: Content = {}, now: Content = {}, writer: Writer): string[] =>
  Object.entries(then).flatMap(([type, { schema }]) =>
    differences(`${at} ${type}`, schema, now[type]?.schema, writer),
  )

const parametersOf = ({ parameters = [] }: Operation): Schema => ({
  properties: Object.fromEntries(parameters.map((one) => [`${one.in}.${one.name}`, one.schema])),
  required: parameters.filter((one) => one.required).map((one) => `${one.in}.${one.name}`),
})

/** With each reference replaced by what it names. */
function resolved(document: object, value: unknown = document): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(document, one))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Schema
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(document, one)]))
  const named = $ref
    .slice('#/'.length)
    .split('/')
    .reduce((inner: unknown, key) => (inner as Record<string, unknown>)[key], document)
  return resolved(document, named)
}
