import type { Readable } from 'node:stream'
import { nameOf, peopleApi } from '@prelude/contracts'
import { AppError, type Clock, newId, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { closeAccount, type ClosingDeps } from './close-account.ts'
import { recordAttempt, recordOutcome } from './store/audit.ts'
import { deleteClosingMail, findClosingMail } from './store/closed-accounts.ts'
import { knownUser, recordMailOutcome, type User, userByEmail } from './store/users.ts'

type Deps = ClosingDeps & {
  clock: Clock
  operatorPassword: { clearLimit: (uid: string) => Promise<void> }
  /** Everything that is kept of a person, as a ZIP. */
  archiveOf: (user: User) => Promise<{ body: Readable }>
}

/** The actor that the audit records for a command on the machine. */
const COMMAND = 'command'

/** Internal operations about people, for the other services and the commands of administrators. */
export function registerPeopleCalls(app: FastifyInstance, deps: Deps): void {
  const { db } = deps
  route(app, peopleApi.get, async ({ params: { uid = '' } }) => personView(await knownUser(deps, uid)))
  route(app, peopleApi.find, async ({ query: { email } }) => personView(await userByEmail(db, email)))
  route(app, peopleApi.closingMail, async ({ params: { uid = '' } }) =>
    personView(await findClosingMail(db, uid)),
  )
  route(app, peopleApi.deleteClosingMail, async ({ params: { uid = '' } }) => {
    await deleteClosingMail(db, uid)
    return {}
  })
  route(app, peopleApi.mailOutcome, async ({ params: { uid = '' }, body }) => {
    await recordMailOutcome(db, { uid, ...body })
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
  app.get('/people/:uid/export', async ({ params }, reply) => {
    const { uid } = params as { uid: string }
    const archive = await audited(deps, { action: 'export-person', target: uid, detail: null }, async () =>
      deps.archiveOf(await knownUser(deps, uid)),
    )
    return reply.type('application/zip').send(archive.body)
  })
}

const personView = (person: Pick<User, 'uid' | 'name' | 'givenName' | 'email'>) => ({
  uid: person.uid,
  name: person.name,
  firstName: nameOf(person),
  email: person.email,
})

async function audited<T>(
  { db, clock }: Deps,
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
