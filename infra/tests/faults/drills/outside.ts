import { setTimeout as delay } from 'node:timers/promises'
import { type Outage, refusing, silent } from '../outages.ts'
import { ask, balanceIs, type Drill, must, type Scene, someone, until } from '../scene.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { buyCredits } from '../../support/person.ts'

const ANSWER_WITHIN_MS = 5_000

const subjectsTo = async ({ stack }: Scene, address: string): Promise<string[]> =>
  (await mailsTo(stack, address)).map(({ subject }) => subject)

const mail = ({ how, start, end }: Outage): Drill => ({
  name: `Mail: ${how}`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    await buyCredits(person, 25)
    await balanceIs(scene, person, 25)
    await delay(5_000)
    const { body } = await ask<{ email: string }>(scene, person, 'GET', '/api/me')
    must((await subjectsTo(scene, body.email)).length === 0, 'a mail went through')
    await end(scene)
    const late = await until('the mail', 90_000, async () => {
      const subjects = await subjectsTo(scene, body.email)
      return subjects.length > 0 ? null : 'none yet'
    })
    await delay(3_000)
    const subjects = await subjectsTo(scene, body.email)
    must(new Set(subjects).size === subjects.length, `a mail was sent twice: ${subjects.join(', ')}`)
    scene.note(
      `credits were added; the mail was sent once, ${(late / 1000).toFixed(1)} s after the end of the outage`,
    )
  },
})

const checkout = ({ how, start, end }: Outage): Drill => ({
  name: `Checkout: ${how}`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    const refused = await ask<{ code?: string }>(scene, person, 'POST', '/api/payments', {
      json: { amount: 25 },
    })
    const { status, ms, body } = refused
    must(status === 502 || status === 503, `a payment answers ${status || 'nothing'} ${body.code}`)
    must(ms < ANSWER_WITHIN_MS, `a payment answers only after ${ms.toFixed(0)} ms`)
    const song = await ask(scene, person, 'POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' } })
    must(song.status === 201, `a submit answers ${song.status}`)
    await end(scene)
    await until('a payment is possible', 30_000, async () => {
      const again = await ask(scene, person, 'POST', '/api/payments', { json: { amount: 25 } })
      return again.status === 200 ? null : `it answers ${again.status}`
    })
    await buyCredits(person, 25)
    await balanceIs(scene, person, 15)
    scene.note(
      `${status} ${body.code} after ${ms.toFixed(0)} ms, submits go on; a payment succeeds after the end of the outage`,
    )
  },
})

const identity = ({ how, start, end }: Outage): Drill => ({
  name: `Identity: ${how}`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    const login = await ask(scene, null, 'GET', '/api/auth/login')
    const isRefused = login.status === 302 && (login.location ?? '').includes('signin=signin_failed')
    must(isRefused || leadsToProvider(login), `signing in answers ${login.status} ${login.location}`)
    must(login.ms < ANSWER_WITHIN_MS, `signing in answers only after ${login.ms.toFixed(0)} ms`)
    const me = await ask(scene, person, 'GET', '/api/me')
    must(me.status === 200, `a signed-in person gets ${me.status}`)
    await end(scene)
    await until('signing in', 20_000, async () =>
      someone(scene).then(
        () => null,
        (error: Error) => error.message,
      ),
    )
    scene.note(`signed-in people are not affected; signing in works after the end of the outage`)
  },
})

/** A gateway that has the provider's configuration redirects there. */
const leadsToProvider = (login: { status: number; location: string | null }): boolean =>
  login.status === 302 && (login.location ?? '').includes('code_challenge')

export const outside: readonly Drill[] = [
  mail(refusing('mail')),
  mail(silent('mail')),
  checkout(refusing('checkout')),
  checkout(silent('checkout')),
  identity(refusing('identity')),
  identity(silent('identity')),
]
