import { Problem } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'

/** Which servers are down does not count: without any of them the landing page is still served. */
const schema = {
  operationId: 'getHealthz',
  tags: ['About'],
  summary: 'The process is alive, on a schema that has had every migration of its version',
  response: {
    200: { description: 'OK', ...Type.Object({ status: Type.Literal('ok') }) },
    503: {
      description: 'The schema is older, or was not read yet',
      content: { 'application/problem+json': { schema: Problem } },
    },
  },
}

export function registerHealth(app: FastifyInstance, assertMigrated: () => Promise<void>): void {
  app.get('/healthz', { schema }, async () => {
    await assertMigrated().catch((cause: unknown) => {
      throw new AppError('unavailable', { cause })
    })
    return { status: 'ok' }
  })
}
