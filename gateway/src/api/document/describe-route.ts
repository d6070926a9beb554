import { STATUS_CODES } from 'node:http'
import type { SwaggerTransform } from '@fastify/swagger'
import { type Code, LEGAL_PAGES, OneOf, Problem, PROBLEMS } from '@prelude/contracts'
import { type TSchema, Type } from 'typebox'
import { type Access, NO_FIELDS, type PublicRoute } from '../public-route.ts'
import { type Answer, Header, IdempotencyKey } from './documentation.ts'
import { refusalsOf } from './refusals.ts'

const PARAMS: Readonly<Record<string, TSchema>> = {
  id: Type.String({ description: 'an id as this API gave it; any other is as unknown as one that is gone' }),
  n: OneOf('1', '2'),
  page: OneOf(...LEGAL_PAGES),
}

const CALLERS: Readonly<Record<Access, string>> = {
  anyone: 'Needs no session.',
  visitor: 'Needs no session, but may look at one.',
  person: 'Needs a session.',
  operator: 'For the operator.',
  unlocked: 'For the operator, in an unlocked session.',
}

const SESSION: Readonly<Record<string, string[]>> = { session: [] }
const SECURITY: Readonly<Record<Access, (typeof SESSION)[]>> = {
  anyone: [],
  visitor: [{}, SESSION],
  person: [SESSION],
  operator: [SESSION],
  unlocked: [SESSION],
}

/** The section of the document that a path is in: that of the first pattern. */
const AREAS: readonly (readonly [paths: RegExp, area: string])[] = [
  [/^\/api\/operator\/ops/, 'Operations'],
  [/^\/api\/operator/, 'Operator'],
  [/^\/api\/account/, 'Account'],
  [/^\/api\/(auth|me|sessions)\b/, 'Session and identity'],
  [/^\/api\/(songs\/:id\/)?shares/, 'Links'],
  [/^\/api\/(songs\/:id\/)?certificate/, 'Licences'],
  [/^\/api\/(songs|promise)/, 'Songs'],
  [/^\/api\/(notices|preferences|push)/, 'Notices'],
  [/^\/api\/credits/, 'Credits'],
  [/^\/api\/(payment|get-session|geo|webhooks)/, 'Payments'],
  [/^\/api\/live/, 'Live updates'],
  [/^\/api\/(legal|client-errors|web-vitals|docs|openapi)/, 'About'],
]

function areaOf(url: string): string {
  const [, area] = AREAS.find(([paths]) => paths.test(url)) ?? []
  if (area === undefined) throw new Error(`${url} is in no section of the document`)
  return area
}

/** Marks an operation whose body may be left out, until the document is complete: the plugin calls every body required. */
export const BODY_OPTIONAL = 'x-body-optional'

/** One operation of the document, from the route's own schemas and what its hooks refuse. */
export const describeRoute: SwaggerTransform = ({ schema, url, route }) => {
  const spec = route.config?.publicRoute
  if (!spec) return { schema, url }
  const method = String(route.method)
  const params = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, PARAMS[name] ?? Type.String()])
  const headers = {
    ...(spec.idempotent && IdempotencyKey.properties),
    ...(spec.lenient && { prefer: Type.Optional(Header('`handling=lenient` (RFC 7240)')) }),
    ...spec.document?.headers?.properties,
  }
  const bodies = bodiesOf(spec)
  const described = {
    operationId: operationId(method, url),
    summary: spec.summary,
    description: [spec.document?.description, CALLERS[spec.access]].filter(Boolean).join(' '),
    tags: [areaOf(url)],
    security: SECURITY[spec.access],
    ...(spec.query && { querystring: spec.query }),
    ...(params.length > 0 && { params: Type.Object(Object.fromEntries(params)) }),
    ...(Object.keys(headers).length > 0 && { headers: Type.Object(headers) }),
    ...(bodies && { body: { content: contentOf(bodies) }, [BODY_OPTIONAL]: spec.bodyOptional === true }),
    response: answersOf(spec, method),
  }
  return { url, schema: described }
}

function bodiesOf({ body, document }: PublicRoute): Readonly<Record<string, TSchema>> | undefined {
  if (document?.bodies) return document.bodies
  const isNone = body === undefined || body === 'stream' || body === NO_FIELDS.body
  return isNone ? undefined : { 'application/json': body }
}

/** Every documented status; an answer to HEAD has no content. */
function answersOf(spec: PublicRoute, method: string): Record<string, unknown> {
  const more: Record<number, Answer> = { ...spec.document?.answers }
  if (spec.lenient) more[204] = { description: `With \`handling=lenient\`, instead of \`${spec.lenient}\`.` }
  const main = more[spec.status]
  const isOnlyMore = main === undefined && spec.reply === undefined && Object.keys(more).length > 0
  const answers: Record<number, Answer> = {
    ...(!isOnlyMore && {
      [spec.status]: {
        description: main?.description ?? STATUS_CODES[spec.status] ?? '',
        content: { ...(spec.reply && { 'application/json': spec.reply }), ...main?.content },
        headers: { ...main?.headers, ...(spec.idempotent && REPLAYED) },
      },
    }),
    ...Object.fromEntries(Object.entries(more).filter(([status]) => Number(status) !== spec.status)),
    ...Object.fromEntries([...refusalsOf(spec, method)].map(([status, codes]) => [status, refusal(codes)])),
  }
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, answerSchema(answer, method)]),
  )
}

const REPLAYED = { 'idempotency-replayed': Header('true when this is the answer of an earlier call') }

function refusal(codes: readonly Code[]): Answer {
  const limited = codes.some((code) => ['limited', 'unavailable'].includes(PROBLEMS[code].kind))
  return {
    description: codes.map((code) => `- \`${code}\`: ${PROBLEMS[code].detail}`).join('\n'),
    content: {
      'application/problem+json': Type.Unsafe({
        allOf: [Problem, Type.Object({ code: OneOf(...codes) })],
      }),
    },
    ...(limited && { headers: { 'retry-after': Header('seconds to wait') } }),
  }
}

function answerSchema({ description, content = {}, headers = {} }: Answer, method: string): object {
  const hasContent = method !== 'HEAD' && Object.keys(content).length > 0
  return {
    description,
    ...(hasContent ? { content: contentOf(content) } : { type: 'null' }),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

const contentOf = (content: Readonly<Record<string, TSchema>>): Record<string, { schema: TSchema }> =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

/** `GET /api/songs/:id/versions/:n` is `getSongsByIdVersionsByN`. */
const operationId = (method: string, url: string): string =>
  url
    .replace(/^\/api\//, '')
    .split('/')
    .flatMap((part) => (part.startsWith(':') ? ['by', part.slice(1)] : part.split(/[-.]/)))
    .reduce((id, word) => id + word.charAt(0).toUpperCase() + word.slice(1), method.toLowerCase())
