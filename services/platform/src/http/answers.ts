import { SpanKind } from '@opentelemetry/api'
import type { Operation } from '@prelude/contracts'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { Question } from './calls/question.ts'
import { context, currentContext } from '../observability/context.ts'
import { newId } from '../ids.ts'
import { inSpan } from '../observability/tracing.ts'
import { problemOf, refusalFor } from './problems.ts'
import type { RouteContext } from './route.ts'
import { Written } from './written.ts'

/** What an operation answers; of a refusal, the text is its problem document. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** Operations as parts in the same process ask them: the same handlers behind the same checks, without HTTP in between. */
export interface Answers {
  readonly part: string
  readonly of: Map<Operation, (question: Question) => Promise<Answer>>
  /** Told of each answer, as a hook of the app is of each reply. */
  observe: (operation: Operation, status: number, seconds: number) => void
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly answers: Answers
  }
}

export const noAnswers = (part: string): Answers => ({ part, of: new Map(), observe: () => {} })

export function answerDirectly<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handle: (context: RouteContext<O>) => Promise<unknown>,
): void {
  let checks: Checks | undefined
  const answer = async ({ params = {}, query = {}, body }: Question): Promise<Answer> => {
    const requestId = currentContext()?.requestId ?? newId()
    try {
      if (!checks) {
        await app.ready()
        checks = checksOf(app, operation)
      }
      const given = {
        params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
        query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
        body,
      }
      checks.assertValid(given)
      const reply = await handle(given as RouteContext<O>)
      return { status: 200, text: reply instanceof Written ? reply.text : checks.textOf(reply) }
    } catch (error) {
      const refusal = refusalFor(error as Error, app.log, requestId)
      return { status: refusal.status, text: JSON.stringify(problemOf(refusal, requestId)) }
    }
  }
  const { method, path: route } = operation
  const attributes = {
    'prelude.service': app.answers.part,
    'http.request.method': method,
    'http.route': route,
  }
  app.answers.of.set(operation, (question) =>
    context.run(currentContext() ?? { correlationId: newId() }, async () => {
      const began = performance.now()
      const span = { kind: SpanKind.SERVER, attributes }
      const answered = await inSpan(`${method} ${route}`, span, () => answer(question))
      app.answers.observe(operation, answered.status, (performance.now() - began) / 1000)
      return answered
    }),
  )
}

interface Checks {
  assertValid(given: { query: unknown; body: unknown }): void
  textOf(reply: unknown): string
}

/** As the app compiled them for its route. Errors of `assertValid` are those of a request that the app itself refuses. */
function checksOf(app: FastifyInstance, operation: Operation): Checks {
  const { method, path: url, query, body, reply } = operation
  const validator = (schema: TSchema | undefined, httpPart: string) =>
    schema && app.validatorCompiler?.({ schema, method, url, httpPart })
  const queryIsValid = validator(query, 'querystring')
  const bodyIsValid = validator(body, 'body')
  const textOf = reply && app.serializerCompiler?.({ schema: reply, method, url, httpStatus: '200' })
  const assert = (isValid: ReturnType<typeof validator>, value: unknown, validationContext: string): void => {
    if (!isValid || isValid(value) !== false) return
    throw Object.assign(new Error('not valid'), { validation: isValid.errors, validationContext })
  }
  return {
    assertValid: (given) => {
      assert(queryIsValid, given.query, 'querystring')
      assert(bodyIsValid, given.body ?? null, 'body')
    },
    textOf: (value) => (value === undefined ? '' : textOf ? textOf(value) : JSON.stringify(value)),
  }
}
