import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Fastify from 'fastify'
import pg from 'pg'

/**
 * The baseline of each benchmark: one Fastify process that does only the work itself, on the same PostgreSQL with the
 * same durability. Settings: BASELINE_DATABASE_URL, BASELINE_FOLDER. Prints its address.
 */
const pool = new pg.Pool({ connectionString: process.env['BASELINE_DATABASE_URL'], max: 16 })
const folder = process.env['BASELINE_FOLDER'] ?? '.'
const app = Fastify()

const text = { type: 'string' } as const
const song = {
  type: 'object',
  properties: {
    id: text,
    uid: text,
    lyrics: text,
    style: text,
    charged: { type: 'boolean' },
    created_at: text,
  },
} as const

app.post<{ Body: { lyrics: string; style: string } }>(
  '/songs',
  {
    schema: {
      body: { type: 'object', required: ['lyrics', 'style'], properties: { lyrics: text, style: text } },
      response: { 201: song },
    },
  },
  async (request, reply) => {
    const uid = String(request.headers['x-uid'])
    const { lyrics, style } = request.body
    const id = randomUUID()
    const at = Date.now()
    const { rows } = await pool.query<{ submit: boolean }>({
      name: 'submit',
      text: 'select submit($1, $2, $3, $4, $5)',
      values: [id, uid, lyrics, style, at],
    })
    return reply.code(201).send({ id, uid, lyrics, style, charged: rows[0]?.submit, created_at: at })
  },
)

app.get(
  '/songs',
  {
    schema: { response: { 200: { type: 'object', properties: { items: { type: 'array', items: song } } } } },
  },
  async (request) => {
    const { rows } = await pool.query({
      name: 'list',
      text: 'select * from song where uid = $1 order by created_at desc, id desc limit 50',
      values: [String(request.headers['x-uid'])],
    })
    return { items: rows }
  },
)

app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
// what the product promises too: when the answer comes the bytes are on the disk and hashed
app.put<{ Params: { name: string } }>('/files/:name', { bodyLimit: 1 << 30 }, async (request) => {
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const file = createWriteStream(join(folder, request.params.name), { flush: true })
  await pipeline(request.body as NodeJS.ReadableStream, hashed, file)
  return { sha256: hash.digest('hex') }
})
app.get<{ Params: { name: string } }>('/files/:name', (request, reply) =>
  reply.type('audio/mpeg').send(createReadStream(join(folder, request.params.name))),
)

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => process.exit(0))
