import { createHash } from 'node:crypto'
import { both, form, FLAC, MP3, WAV } from '../support/audio-files.ts'
import type { NamedOperation, Parameter } from '../system/api/document.ts'
import type { Sending } from '../support/person.ts'
import { generate, type Known, ODD, type Random, type Schema } from './generate.ts'

/** A call of one operation: path, headers and body, from its description and what is known. */

export interface Call {
  readonly method: string
  readonly path: string
  readonly sending: Sending
}

const COUNTRY = { 'cf-ipcountry': 'NG' }
/** Few, so that the same one comes again with the same body and with another. */
const KEYS = ['one', 'two', 'three', '', 'é', 'x'.repeat(256)]
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'text/plain' },
  { 'accept-language': 'x'.repeat(3000) },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { range: 'bytes=5-1,99999999999999999999-' },
  { range: 'bytes=0-0, 2-3' },
  { 'if-none-match': '*, "x' },
  { 'if-range': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { origin: 'https://elsewhere.test' },
  { 'sec-fetch-site': 'cross-site' },
  { prefer: 'handling=lenient' },
  { 'x-request-id': 'x' },
  { 'x-forwarded-for': '::ffff:1.2.3.4, unknown' },
  { 'x-http-method-override': 'DELETE' },
  { traceparent: '00-0-0-00' },
  { cookie: 'session=x; session=; =;' },
  { expect: '200-ok' },
  { 'tus-resumable': '0.2.2' },
  { 'upload-offset': '-1' },
  { 'upload-length': '1e9', 'upload-metadata': ',,, ,' },
  { 'content-type': ';;;' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-encoding': 'gzip' },
  { 'x-internal-token': 'x', 'x-user-id': 'x', authorization: 'Bearer x' },
]
/** As they are in the path, without a further encoding. */
const ODD_SEGMENTS = [
  '%00',
  '..%2f..%2fetc',
  '%0d%0aX-Evil:%201',
  '%ff%fe',
  '%zz',
  '__proto__',
  // no repetition, which an index of the database would compress
  createHash('shake256', { outputLength: 2000 }).digest('hex'),
]
const ODD_QUERIES = [
  '%',
  '__proto__=1',
  'limit[]=1&limit[a]=2',
  'q=%ed%a0%80',
  '&&&===&&',
  'x=1&'.repeat(2000),
]

export function callOf(
  random: Random,
  { name, path, operation }: NamedOperation,
  known: Known,
  idOf: (path: string) => string,
): Call {
  const [method = 'GET'] = name.split(' ', 1)
  const { parameters = [] } = operation
  const part = (parameter: string): string => {
    const schema = parameters.find((one) => one.name === parameter && one.in === 'path')?.schema ?? {}
    if (schema['enum'] ?? schema['anyOf']) return String(generate(random, schema, known, parameter))
    return idOf(path)
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    random.chance(0.02)
      ? random.pick(ODD_SEGMENTS)
      : // a path holds no lone surrogate, and an empty segment makes another path
        encodeURIComponent(part(parameter).toWellFormed() || '-'),
  )
  const query = parameters.filter((one) => one.in === 'query' && random.chance(one.required ? 0.95 : 0.3))
  const { headers = {}, ...body } = bodyOf(random, operation.requestBody?.content ?? {}, known)
  return {
    method,
    path: filled + queryOf(random, query, known),
    sending: { ...body, headers: { ...headers, ...headersOf(random, method, parameters, known) } },
  }
}

function queryOf(random: Random, parameters: readonly Parameter[], known: Known): string {
  const pairs = parameters.map(({ name, schema }) => {
    const value = generate(random, schema, known, name)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}=${encodeURIComponent(text.slice(0, 2000).toWellFormed())}`
  })
  if (random.chance(0.03)) pairs.push(...pairs.slice(0, 1), random.pick(ODD_QUERIES))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function headersOf(
  random: Random,
  method: string,
  parameters: readonly Parameter[],
  known: Known,
): Record<string, string> {
  const described = parameters
    .filter((one) => one.in === 'header' && random.chance(one.required ? 0.95 : 0.3))
    .map(({ name, schema }): [string, string] => [name, String(generate(random, schema, known, name))])
    .filter(([, value]) => /^[\t -~\u0080-\u00ff]*$/.test(value))
  return {
    ...(random.chance(0.8) && COUNTRY),
    ...Object.fromEntries(described),
    ...(method === 'POST' && random.chance(0.3) && { 'idempotency-key': random.pick(KEYS) }),
    ...(random.chance(0.1) && random.pick(ODD_HEADERS)),
  }
}

/** Media types that are sent with bytes of our own. */
const OCTETS = 'application/offset+octet-stream'
const MALFORMED = [
  ...['{', '[]', '\ufeff{}', '"x"', '{"a":1,"a":2}', '\u0000', '{"amount":1e999}'],
  ...[
    '{"__proto__":{"lyrics":"x"}}',
    '{"lyrics":"\\udfff"}',
    `{"lyrics":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  ],
  Buffer.from('{"lyrics":"a"}', 'utf16le'),
]

function bodyOf(
  random: Random,
  content: Readonly<Record<string, { schema: Schema }>>,
  known: Known,
): Sending {
  const types = Object.keys(content)
  if (types.length === 0) return random.chance(0.05) ? { json: random.pick(ODD) } : {}
  if (random.chance(0.02)) return {}
  const type = random.pick(types)
  const sent = (raw: string | Buffer): Sending => ({ raw, headers: { 'content-type': type } })
  if (type === 'multipart/form-data') return { raw: formOf(random) }
  if (type === OCTETS) return sent(random.pick([MP3, MP3, MP3.subarray(0, 100), Buffer.alloc(0)]))
  if (random.chance(0.03)) return sent(random.pick(MALFORMED))
  const body = generate(random, content[type]?.schema ?? {}, known)
  return { json: fit(random, body ?? null) }
}

/** Fields that must agree with each other, or with the caller, mostly do. */
function fit(random: Random, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fitted: Record<string, unknown> = { ...body }
  if ('myamount' in fitted && random.chance(0.9)) fitted['myamount'] = fitted['amount']
  if (random.chance(0.8)) delete fitted['userId']
  return fitted
}

function formOf(random: Random): FormData {
  if (random.chance(0.6)) return both()
  const bytes = random.pick([MP3, FLAC, WAV, MP3.subarray(0, 50), Buffer.from('<svg/>'), Buffer.alloc(0)])
  const name = random.pick(['take.mp3', '../x', 'a"\r\nb.mp3', ''])
  const parts = ['version1', 'version2', 'file', 'other'].filter(() => random.chance(0.5))
  const data = form(...parts.map((field) => ({ field, bytes, name })))
  if (random.chance(0.5)) data.append('made', JSON.stringify(random.pick(ODD) ?? null))
  return data
}
