import type { FastifyInstance } from 'fastify'
import { ACTS } from './acts.ts'
import { Impossible } from './effects.ts'
import type { Engine } from './engine.ts'
import { StripeError } from './stripe-error.ts'

const LONGEST_OUTAGE_SECONDS = 24 * 60 * 60

/** Control API, which plays the provider's later acts: 200 `{}`, 404 unknown, 409 impossible now. */
export function registerControl(app: FastifyInstance, engine: Engine): void {
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof Impossible) return reply.code(409).send({ error: error.message })
    if (error instanceof StripeError) return reply.code(error.status).send({ error: error.message })
    const status = (error as { statusCode?: number }).statusCode ?? 500
    if (status >= 500) reply.log.error({ err: error }, 'the checkout sandbox failed')
    return reply.code(status).send({ error: 'The request could not be played.' })
  })

  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'There is no such act.' }))
  app.post('/sessions/:id/:act', async (request, reply) => {
    const { id, act: name } = request.params as { id: string; act: string }
    await engine.expireDue()
    const checkout = engine.store.get('checkout', id)
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
    if (!checkout || !act) return reply.code(404).send({ error: 'There is no such session or act.' })
    await engine.perform(act(engine, checkout, jsonOf(request.body)))
    return {}
  })

  app.post('/outage', async (request, reply) => {
    const { seconds } = jsonOf(request.body)
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= LONGEST_OUTAGE_SECONDS))
      return reply.code(400).send({ error: `seconds must be a number from 0 to ${LONGEST_OUTAGE_SECONDS}.` })
    await engine.goOut(seconds)
    return {}
  })

  app.post('/webhooks', async (request, reply) => {
    const { hold } = jsonOf(request.body)
    if (typeof hold !== 'boolean') return reply.code(400).send({ error: 'hold must be true or false.' })
    if (hold) engine.webhooks.hold()
    else engine.webhooks.release()
    return {}
  })
}

/** The body may be left out. Errors: StripeError. */
function jsonOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string' || body.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // the error below
  }
  throw new StripeError(400, { type: 'invalid_request_error', message: 'The body is not a JSON object.' })
}
