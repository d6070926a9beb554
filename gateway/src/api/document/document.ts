import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import {
  CheckoutSession,
  Credits,
  Me,
  Payment,
  Problem,
  Share,
  SharedSong,
  Song,
  StatementEntry,
  Waveform,
} from '@prelude/contracts'
import type { GatewayConfig } from '../../config.ts'
import { BODY_OPTIONAL, describeRoute } from './describe-route.ts'

/** Shapes that have a name in the document. */
const SCHEMAS = {
  Song,
  Share,
  SharedSong,
  Payment,
  CheckoutSession,
  Credits,
  StatementEntry,
  Me,
  Waveform,
  Problem,
}

const CONVENTIONS = `Times are milliseconds since the epoch. Credits are decimals with at most two places; money is in the currency's main unit.

A refusal is a problem document (RFC 9457) with a stable \`code\`; its \`detail\` is a sentence for people. Every answer has an \`x-request-id\`; one that the client sends is used when it is 8 to 64 characters of \`A-Za-z0-9_-\`.

A call that changes something is refused when a browser says that it comes from another site. Ids that are no ids are 404 like unknown ones; unknown fields of a body are ignored.

Lists are newest first: \`nextCursor\` of one page is \`cursor\` of the next, and null at the end.`

/** The API's document is made from the routes themselves: what they validate with, what they answer, who may call. */
export function documentOptions(config: GatewayConfig, sessionCookie: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${config.brandName} API`, version: '1', description: CONVENTIONS },
      servers: [{ url: config.publicUrl }],
      components: {
        schemas: SCHEMAS as Record<string, object>,
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description: 'Set by signing in at /api/auth/login.',
          },
        },
      },
    },
    transform: describeRoute,
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { openapiObject } = document
      const schemas = openapiObject.components?.schemas ?? {}
      const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
      markOptionalBodies(openapiObject.paths as Paths)
      return { ...openapiObject, paths: named(openapiObject.paths, names) } as typeof openapiObject
    },
  }
}

type Paths = Readonly<
  Record<string, Record<string, { requestBody?: { required?: boolean }; [BODY_OPTIONAL]?: boolean }>>
>

/** Says which bodies may be left out, in place of the marks. */
function markOptionalBodies(paths: Paths): void {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody) operation.requestBody.required = !operation[BODY_OPTIONAL]
    delete operation[BODY_OPTIONAL]
  }
}

/** Puts a reference wherever a schema stands that has a name. */
function named(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map((one) => named(one, names))
  const name = names.get(JSON.stringify(node))
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, named(value, names)]))
}
