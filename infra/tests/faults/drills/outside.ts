import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import { mailsTo } from '../../support/mailbox.ts'
import { buyCredits } from '../../support/person.ts'
import { ask, must, pay, someone, trySubmit } from '../calls.ts'
import { balanceIs } from '../../support/checkout.ts'
import { type Outage, paused, stopped } from '../faults.ts'
import type { Drill } from '../scene.ts'

/** Outages of the mail server, the card provider and the identity provider. */

const ANSWER_WITHIN_MS = 5_000

const withoutMail = ({ how, start, end }: Outage): Drill => ({
  name: `${how}: credits are added, the mail is sent once afterwards`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    await buyCredits(person, 25)
    await balanceIs(person, 25)
    await delay(5_000) // an attempt fails
    await end(scene)
    const subjects = async () => (await mailsTo(scene, person.email)).map(({ subject }) => subject)
    await eventually(async () => must((await subjects()).length > 0, 'there is no mail'))
    await delay(3_000) // a second one would come
    const sent = await subjects()
    must(new Set(sent).size === sent.length, `a mail was sent twice: ${sent.join(', ')}`)
  },
})

const withoutCheckout = ({ how, start, end }: Outage): Drill => ({
  name: `${how}: a payment is refused soon, submits are accepted`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    const { status, ms, body } = await pay(scene, person)
    must(status === 502 || status === 503, `a payment answers ${status || 'nothing'} ${body.code}`)
    must(ms < ANSWER_WITHIN_MS, `a payment answers only after ${ms.toFixed(0)} ms`)
    const song = await trySubmit(scene, person)
    must(song.status === 201, `a submit answers ${song.status}`)
    await end(scene)
    await eventually(() => buyCredits(person, 25))
    await balanceIs(person, 15)
  },
})

const withoutIdentity = ({ how, start, end }: Outage): Drill => ({
  name: `${how}: those who are signed in stay so`,
  run: async (scene) => {
    const person = await someone(scene)
    await start(scene)
    const login = await ask(scene, null, 'GET', '/api/auth/login')
    // a gateway that has the provider's configuration redirects there
    const isRight = /signin=signin_failed|code_challenge/.test(login.location ?? '')
    must(login.status === 302 && isRight, `signing in answers ${login.status} ${login.location}`)
    must(login.ms < ANSWER_WITHIN_MS, `signing in answers only after ${login.ms.toFixed(0)} ms`)
    const me = await ask(scene, person, 'GET', '/api/me')
    must(me.status === 200, `a signed-in person gets ${me.status}`)
    await end(scene)
    await eventually(() => someone(scene))
  },
})

export const outside: readonly Drill[] = [
  withoutMail(stopped('mailbox')),
  withoutMail(paused('mailbox')),
  withoutCheckout(stopped('checkout')),
  withoutCheckout(paused('checkout')),
  withoutIdentity(stopped('identity')),
  withoutIdentity(paused('identity')),
]
