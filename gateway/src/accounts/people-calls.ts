import { peopleApi, type ReplyOf } from '@prelude/contracts'
import { AppError, newId, route, type RouteContext } from '@prelude/platform'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { closeAccount } from './close-account.ts'
import { archiveOf } from '../share/export/archive.ts'
import type { RouteDeps } from '../route-deps.ts'
import { recordAttempt, recordOutcome } from './store/audit.ts'
import { deleteClosingMail, findClosingMail } from './store/closed-accounts.ts'
import { knownUser, recordMailOutcome, type User, userByEmail } from './store/users.ts'
import { firstNameOf } from '../views.ts'

/** The actor that the audit records for a command on the machine. */
const COMMAND = 'command'

/** Internal operations about people, for the other services and the operator's commands. */
export function registerPeopleCalls(app: FastifyInstance, deps: RouteDeps): void {
  route(app, peopleApi.get, getPerson(deps))
  route(app, peopleApi.find, findPerson(deps))
  route(app, peopleApi.closingMail, getClosingMail(deps))
  route(app, peopleApi.deleteClosingMail, dropClosingMail(deps))
  route(app, peopleApi.mailOutcome, recordOutcomeOfMail(deps))
  route(app, peopleApi.close, closePerson(deps))
  route(app, peopleApi.clearUnlockLimit, clearUnlockLimit(deps))
  app.get('/people/:uid/export', exportPerson(deps))
}

type Person = ReplyOf<typeof peopleApi.get>

const getPerson =
  (deps: RouteDeps) =>
  async ({ params: { uid = '' } }: RouteContext<typeof peopleApi.get>): Promise<Person> =>
    personView(await knownUser(deps, uid))

const findPerson =
  ({ db }: RouteDeps) =>
  async ({ query: { email } }: RouteContext<typeof peopleApi.find>): Promise<Person> =>
    personView(await userByEmail(db, email))

const getClosingMail =
  ({ db }: RouteDeps) =>
  async ({ params: { uid = '' } }: RouteContext<typeof peopleApi.closingMail>): Promise<Person> =>
    personView(await findClosingMail(db, uid))

const dropClosingMail =
  ({ db }: RouteDeps) =>
  async ({ params: { uid = '' } }: RouteContext<typeof peopleApi.deleteClosingMail>) => {
    await deleteClosingMail(db, uid)
    return {}
  }

const recordOutcomeOfMail =
  ({ db }: RouteDeps) =>
  async ({ params: { uid = '' }, body }: RouteContext<typeof peopleApi.mailOutcome>) => {
    await recordMailOutcome(db, { uid, ...body })
    return {}
  }

const closePerson =
  (deps: RouteDeps) =>
  ({ params: { uid = '' }, body }: RouteContext<typeof peopleApi.close>) =>
    audited(deps, { action: 'close-account', target: uid, detail: body.reason }, async () => {
      await closeAccount(deps, uid, 'operator')
      return {}
    })

const clearUnlockLimit = (deps: RouteDeps) => () =>
  audited(deps, { action: 'clear-unlock-limit', target: null, detail: null }, async () => {
    await deps.operatorPassword.clearLimit(deps.config.operatorUid)
    return {}
  })

const exportPerson =
  (deps: RouteDeps): RouteHandlerMethod =>
  async ({ params }, reply) => {
    const { uid } = params as { uid: string }
    const archive = await audited(deps, { action: 'export-person', target: uid, detail: null }, async () =>
      archiveOf(deps, await knownUser(deps, uid)),
    )
    return reply.type('application/zip').send(archive.body)
  }

const personView = ({ uid, name, email }: Pick<User, 'uid' | 'name' | 'email'>) => ({
  uid,
  name,
  firstName: firstNameOf(name),
  email,
})

async function audited<T>(
  { db, clock }: RouteDeps,
  { action, target, detail }: { action: string; target: string | null; detail: string | null },
  work: () => Promise<T>,
): Promise<T> {
  const id = newId()
  await recordAttempt(db, { id, at: clock.now(), uid: COMMAND, action, target, requestId: id })
  const end = (outcome: string) => recordOutcome(db, { id, at: clock.now(), outcome, target, detail })
  try {
    const done = await work()
    await end('ok')
    return done
  } catch (error) {
    await end(error instanceof AppError ? error.code : '500')
    throw error
  }
}
