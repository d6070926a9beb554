import { escapeHtml } from '@prelude/contracts'

/** What the page reads of the document. */
export interface Document {
  readonly info: { readonly description?: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly {
    name: string
    in: string
    required?: boolean
    schema: Shape
    description?: string
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Shape }>>

interface Shape {
  readonly $ref?: string
  /** One type, or it and null. */
  readonly type?: string | readonly [string, 'null']
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly description?: string
}

/**
 * The document for people: no script, and its style is a file. `styleLinks` are those of the app, whose colours and
 * typefaces it wears.
 */
export function docsPage(brand: string, styleLinks: string, { info, paths, components }: Document): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), call })),
  )
  const areas = [...new Set(calls.map(({ call }) => call.tags?.[0] ?? ''))]
  const inArea = (area: string) => calls.filter(({ call }) => call.tags?.[0] === area)
  const contents = areas.map(
    (area) =>
      `<h2>${escapeHtml(area)}</h2><ul>${inArea(area)
        .map(({ path, method, call }) => `<li><a href="#${call.operationId}">${name(method, path)}</a></li>`)
        .join('')}</ul>`,
  )
  const sections = areas.map(
    (area) => `<section><h2>${escapeHtml(area)}</h2>${inArea(area).map(operation).join('')}</section>`,
  )
  const shapes = Object.entries(components.schemas).map(
    ([title, shape]) => `<h3 id="${title}">${title}</h3>${fields(shape)}`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand)} API</title>
${styleLinks}
<link rel="stylesheet" href="/docs.css"></head>
<body><main><h1>${escapeHtml(brand)} API</h1>
${text(info.description ?? '')}
<p>The same as a machine reads it: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav aria-label="Calls">${contents.join('')}</nav>
${sections.join('\n')}
<section><h2>Shapes</h2>${shapes.join('')}</section>
</main></body>
</html>
`
}

const name = (method: string, path: string): string => `<code>${method} ${escapeHtml(path)}</code>`

function operation({ path, method, call }: { path: string; method: string; call: Operation }): string {
  const parameters = (call.parameters ?? []).map((one) =>
    row(
      `<code>${escapeHtml(one.name)}</code>`,
      `${one.in}${one.required ? ', required' : ''}`,
      typeName(one.schema),
      inline(one.description ?? ''),
    ),
  )
  const answers = Object.entries(call.responses).map(([status, { description, content = {} }]) =>
    row(status, content['application/problem+json'] ? 'Problem' : contents(content), text(description)),
  )
  const bodies = Object.entries(call.requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h4>Body <code>${escapeHtml(type)}</code></h4>${fields(schema)}`,
  )
  return `<h3 id="${call.operationId}">${name(method, path)}</h3>
<p>${inline(call.summary)}.</p>${text(call.description ?? '')}
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters)}` : ''}${bodies.join('')}
<details><summary>Answers: ${Object.keys(call.responses).join(', ')}</summary>${table(answers)}</details>
`
}

const contents = (content: Content): string =>
  Object.entries(content)
    .map(([type, { schema }]) =>
      type === 'application/json' ? typeName(schema) : `<code>${escapeHtml(type)}</code>`,
    )
    .join(' or ')

function fields(shape: Shape): string {
  if (!shape.properties) return `<p>${typeName(shape)}</p>`
  const rows = Object.entries(shape.properties).map(([key, one]) =>
    row(
      `<code>${escapeHtml(key)}</code>`,
      shape.required?.includes(key) ? 'required' : '',
      typeName(one),
      inline(one.description ?? ''),
    ),
  )
  return rows.length > 0 ? table(rows) : '<p>An object.</p>'
}

/** A schema in a few words. */
function typeName(shape: Shape): string {
  const ref = shape.$ref?.split('/').at(-1)
  if (ref !== undefined) return `<a href="#${ref}">${escapeHtml(ref)}</a>`
  if (typeof shape.type === 'object') {
    const [type] = shape.type
    const values = shape.enum?.filter((value) => value !== null)
    return `${typeName({ ...shape, type, ...(values && { enum: values }) })} or null`
  }
  const values = shape.enum ?? (shape.const === undefined ? undefined : [shape.const])
  if (values) return values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' or ')
  if (shape.anyOf) return shape.anyOf.map(typeName).join(' or ')
  if (shape.items) return `list of ${typeName(shape.items)}`
  if (shape.properties)
    return `{ ${Object.entries(shape.properties)
      .map(([key, one]) => `${escapeHtml(key)}: ${typeName(one)}`)
      .join(', ')} }`
  return shape.format === 'binary' ? 'bytes' : escapeHtml(shape.type ?? 'anything')
}

const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
const table = (rows: readonly string[]): string => `<table><tbody>${rows.join('')}</tbody></table>`

/** Paragraphs and lists, with `code` in them. */
const text = (source: string): string =>
  source
    .split('\n\n')
    .filter(Boolean)
    .map((block) =>
      block.startsWith('- ')
        ? `<ul>${block
            .slice(2)
            .split('\n- ')
            .map((one) => `<li>${inline(one)}</li>`)
            .join('')}</ul>`
        : `<p>${inline(block)}</p>`,
    )
    .join('')

const inline = (source: string): string => escapeHtml(source).replace(/`([^`]+)`/g, '<code>$1</code>')
