import { peopleApi } from '@prelude/contracts'
import { AppError, newId, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { closeAccount } from './close-account.ts'
import { archiveOf } from './export/archive.ts'
import type { RouteDeps } from './route-deps.ts'
import { recordAttempt, recordOutcome } from './store/audit.ts'
import { deleteClosingMail, findClosingMail } from './store/closed-accounts.ts'
import { findUsersByEmail, type User } from './store/users.ts'
import { firstNameOf } from './views.ts'

/** The actor that the audit records for a command on the machine. */
const COMMAND = 'command'

/** Internal operations about people, for the other services and the operator's commands. */
export function registerPeopleCalls(app: FastifyInstance, deps: RouteDeps): void {
  const known = async (uid: string): Promise<User> => {
    const user = await deps.findUser(uid)
    if (!user) throw new AppError('user_not_found')
    return user
  }
  route(app, peopleApi.get, async ({ params: { uid = '' } }) => personView(await known(uid)))
  route(app, peopleApi.find, async ({ query: { email } }) => {
    const [user, second] = await findUsersByEmail(deps.db, email)
    if (!user) throw new AppError('user_not_found')
    if (second) throw new AppError('ambiguous_account')
    return personView(user)
  })
  route(app, peopleApi.closingMail, async ({ params: { uid = '' } }) =>
    personView(await findClosingMail(deps.db, uid)),
  )
  route(app, peopleApi.deleteClosingMail, async ({ params: { uid = '' } }) => {
    await deleteClosingMail(deps.db, uid)
    return {}
  })
  route(app, peopleApi.close, ({ params: { uid = '' }, body }) =>
    audited(deps, { action: 'close-account', target: uid, detail: body.reason }, async () => {
      await closeAccount(deps, uid, 'operator')
      return {}
    }),
  )
  route(app, peopleApi.clearUnlockLimit, () =>
    audited(deps, { action: 'clear-unlock-limit', target: null, detail: null }, async () => {
      await deps.operatorPassword.clearLimit(deps.config.operatorUid)
      return {}
    }),
  )
  app.get<{ Params: { uid: string } }>('/people/:uid/export', async (request, reply) => {
    const { uid } = request.params
    const archive = await audited(deps, { action: 'export-person', target: uid, detail: null }, async () =>
      archiveOf(deps, await known(uid)),
    )
    return reply.type('application/zip').send(archive.body)
  })
}

const personView = ({ uid, name, email }: Pick<User, 'uid' | 'name' | 'email'>) => ({
  uid,
  name,
  firstName: firstNameOf(name),
  email,
})

async function audited<T>(
  { db }: RouteDeps,
  { action, target, detail }: { action: string; target: string | null; detail: string | null },
  work: () => Promise<T>,
): Promise<T> {
  const id = newId()
  await recordAttempt(db, { id, at: Date.now(), uid: COMMAND, action, target, requestId: id })
  const end = (outcome: string) => recordOutcome(db, { id, at: Date.now(), outcome, target, detail })
  try {
    const done = await work()
    await end('ok')
    return done
  } catch (error) {
    await end(error instanceof AppError ? error.code : '500')
    throw error
  }
}
