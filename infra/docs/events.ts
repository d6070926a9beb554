import { writeFile } from 'node:fs/promises'
import { EVENTS, type EventDefinition, TOPICS } from '@prelude/contracts'

/** Renders docs/events.md from the contracts; `npm run docs` writes it, and a test fails when it is out of date. */

export const EVENTS_PAGE = new URL('../../docs/events.md', import.meta.url)

interface Shape {
  /** One type, or it and null. */
  readonly type?: string | readonly [string, 'null']
  readonly anyOf?: readonly Shape[]
  readonly const?: unknown
  readonly items?: Shape
  readonly properties?: Record<string, Shape>
}

function shapeOf(schema: Shape): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(shapeOf).join(' or ')
  if (typeof schema.type === 'object') return `${shapeOf({ ...schema, type: schema.type[0] })} or null`
  if (schema.type === 'array') return `list of ${shapeOf(schema.items ?? {})}`
  if (schema.properties)
    return `{ ${Object.entries(schema.properties)
      .map(([name, property]) => `${name}: ${shapeOf(property)}`)
      .join(', ')} }`
  return schema.type ?? 'anything'
}

function section(event: EventDefinition): string {
  const fields = Object.entries(event.data.properties).map(
    ([name, schema]) => `| \`${name}\` | ${shapeOf(schema as Shape)} |`,
  )
  return [
    `### ${event.type} (version ${event.version})`,
    '',
    event.summary,
    '',
    `For ${event.for.join(', ') || 'no service'}.`,
    '',
    '| field | shape |',
    '|---|---|',
    ...fields,
    '',
  ].join('\n')
}

export function renderEvents(): string {
  const events = EVENTS.toSorted((a, b) => a.type.localeCompare(b.type))
  const topics = TOPICS.map((topic) => {
    const own = events.filter((event) => event.topic === topic)
    return [`## \`${topic}\``, '', ...own.map(section)].join('\n')
  })
  const intro = `# Events

Generated from \`services/contracts\` by \`npm run docs\`; do not edit.

Events carry ids and facts, never lyrics, styles, names or addresses. Each service emits on one topic. An event is keyed by
the person's \`uid\`: one person's events of one topic arrive in order, and there is no order between topics. Amounts,
balances and credits are integer hundredths.

Every event has an envelope: \`{ id, type, version, for, topic, key, position, at, correlationId, traceparent?, data }\`; \`at\` is
milliseconds since the epoch, \`position\` is that in the service's event log: it rises with each event, but has gaps. \`for\` names the
services with a handler for it: one of them that does not know its type or version yet lets it wait for its own update, all others
pass it. The gateway makes live updates of events without being named.
`
  return `${intro}\n${topics.join('\n')}`
}

if (import.meta.main) await writeFile(EVENTS_PAGE, renderEvents())
