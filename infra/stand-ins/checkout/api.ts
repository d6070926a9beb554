import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Engine } from './engine.ts'
import { parseForm, type Tree } from './form.ts'
import { drawId, type SavedAnswer } from './objects.ts'
import { listEvents, listRefunds } from './lists.ts'
import { createRefund, createSession, expireSession, retrieveSession, type Written } from './operations.ts'
import { invalid, StripeError } from './stripe-error.ts'

const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id
const bodyOf = (request: FastifyRequest): string => (typeof request.body === 'string' ? request.body : '')
const formOf = (request: FastifyRequest): Tree => parseForm(bodyOf(request))
const queryOf = (request: FastifyRequest): Tree => parseForm(request.url.split('?').slice(1).join('?'))

/** The routes of Stripe's API that the product uses, stricter than Stripe: parameters that the product does not send are refused. */
export function registerApi(app: FastifyInstance, engine: Engine, secretKey: string): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('request-id', drawId('req'))
    assertKey(request, secretKey)
    if (engine.isOut())
      throw new StripeError(503, {
        type: 'api_error',
        message: 'Something went wrong on our end. Please try again.',
      })
    await engine.expireDue()
  })
  app.setErrorHandler((error, _request, reply) => sendError(reply, error))
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      new StripeError(404, {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`,
      }),
    ),
  )

  const write = (path: string, work: (request: FastifyRequest) => Written): void => {
    app.post(path, async (request, reply) => {
      const body = await answerOnce(engine, request, reply, () => work(request))
      return reply.type('application/json').send(body)
    })
  }
  write('/checkout/sessions', (request) => createSession(engine, formOf(request)))
  write('/checkout/sessions/:id/expire', (request) => expireSession(engine, idOf(request)))
  write('/refunds', (request) => createRefund(engine, formOf(request)))
  app.get('/events', async (request) => listEvents(engine, queryOf(request)))
  app.get('/refunds', async (request) => listRefunds(engine, queryOf(request)))
  app.get('/checkout/sessions/:id', async (request) =>
    retrieveSession(engine, idOf(request), queryOf(request)),
  )
}

function assertKey(request: FastifyRequest, secretKey: string): void {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(hash(given), hash(secretKey)))
    throw new StripeError(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' })
}

/** Idempotency keys: the same key gets the same answer and has one effect; a refused request may use its key again. */
async function answerOnce(engine: Engine, request: FastifyRequest, reply: FastifyReply, work: () => Written) {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') {
    const { effect, answer } = work()
    await engine.perform(effect)
    return answer()
  }
  if (key.length > 255) throw invalid(null, null, 'Idempotency keys can have at most 255 characters.')
  const fingerprint = createHash('sha256')
    .update(`${request.url}\n${bodyOf(request)}`)
    .digest('hex')
  void reply.header('idempotency-key', key)
  const known = engine.store.get('answer', key)
  if (known) return replay(engine, known, fingerprint, reply)
  const { effect, answer } = work()
  let body = ''
  await engine.perform(effect, () => {
    body = JSON.stringify(answer())
    return [['answer', key, { fingerprint, body, at: engine.now() * 1000 }]]
  })
  return body
}

async function replay(engine: Engine, known: SavedAnswer, fingerprint: string, reply: FastifyReply) {
  if (known.fingerprint !== fingerprint)
    throw new StripeError(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    })
  await engine.store.commit([]) // the first answer may not be on disk yet
  void reply.header('idempotent-replayed', 'true')
  return known.body
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof StripeError) return reply.code(error.status).send(error.body)
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status >= 500) reply.log.error({ err: error }, 'the checkout sandbox failed')
  return reply.code(status).send({
    error: {
      type: status >= 500 ? 'api_error' : 'invalid_request_error',
      message: status >= 500 ? 'An error occurred.' : 'The request could not be read.',
    },
  })
}
