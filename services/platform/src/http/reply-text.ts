import type { TSchema } from 'typebox'

/**
 * Writes of a value what its schema names, as JSON; throws when something that is required is missing. The fields are
 * picked here and V8 writes them, in a third of the time that code generated from the schema takes.
 */
export function replyText(schema: TSchema): (value: unknown) => string {
  const pick = pickerOf(schema)
  return (value) => JSON.stringify(pick(value))
}

/** What of a JSON Schema says which fields there are. */
interface Shape {
  readonly type?: string
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
}

type Pick = (value: unknown) => unknown

const whole: Pick = (value) => value

function pickerOf(shape: Shape): Pick {
  if (shape.items) return itemsPicker(pickerOf(shape.items))
  if (shape.properties) return fieldsPicker(shape.properties, new Set(shape.required))
  const [one, ...others] = (shape.anyOf ?? []).filter(({ type }) => type !== 'null')
  return one && others.length === 0 ? pickerOf(one) : whole
}

const itemsPicker = (pick: Pick): Pick =>
  pick === whole ? whole : (value) => (value as readonly unknown[] | null)?.map(pick) ?? null

function fieldsPicker(properties: Readonly<Record<string, Shape>>, required: ReadonlySet<string>): Pick {
  const fields = Object.entries(properties).map(([name, shape]) => ({
    name,
    pick: pickerOf(shape),
    isRequired: required.has(name),
  }))
  return (value) => {
    if (value === null) return null
    const picked: Record<string, unknown> = {}
    for (const { name, pick, isRequired } of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[name]
      if (field !== undefined) picked[name] = pick(field)
      else if (isRequired) throw new Error(`an answer without its ${name}`)
    }
    return picked
  }
}
