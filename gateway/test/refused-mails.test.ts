import { creditsApi, type Me, peopleApi, songsApi } from '@prelude/contracts'
import { AppError, newId, route } from '@prelude/platform'
import { requestedSong } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { ADA, EVE, startGateway, uidOf } from './start-gateway.ts'

/** An address that refuses mails: its person and the operator see it. */

const SONG = requestedSong({ id: newId(), uid: uidOf(ADA) })

const start = () =>
  startGateway({
    services: {
      songs: (app) => route(app, songsApi.get, async () => SONG),
      credits: (app) => {
        route(app, creditsApi.account, async () => {
          throw new AppError('unavailable')
        })
        route(app, creditsApi.accounts, async () => ({ items: [] }))
      },
    },
  })

test('an address that has refused two mails is shown to its person and the operator, until it accepts one or is another', async () => {
  await using gateway = await start()
  const [ada, eve, operator] = [
    await gateway.signIn(ADA),
    await gateway.signIn(EVE),
    await gateway.operator(),
  ]
  const outcome = (accepted: boolean, email = 'ada@example.org') =>
    gateway.service.api(peopleApi).mailOutcome({ params: { uid: uidOf(ADA) }, body: { email, accepted } })
  const shown = async (): Promise<unknown[]> => {
    const me = (await (await ada.get('/api/me')).json()) as Me
    const { items } = await (await operator.get(`/api/operator/people?q=${uidOf(ADA)}`)).json()
    const song = await (await operator.get(`/api/songs/${SONG.id}`)).json()
    return [me.mailsRefused, items[0].mailsRefused, song.mailsRefused]
  }
  await outcome(false)
  expect(await shown()).toEqual([undefined, undefined, undefined])
  await outcome(false)
  expect(await shown()).toEqual([true, true, true])
  expect((await (await eve.get('/api/me')).json()).mailsRefused).toBeUndefined()
  expect((await (await ada.get(`/api/songs/${SONG.id}`)).json()).mailsRefused).toBeUndefined()

  await outcome(true, 'of-an-earlier-song@example.org')
  await gateway.signIn(ADA)
  expect(await shown()).toEqual([true, true, true])
  await outcome(true)
  expect(await shown()).toEqual([undefined, undefined, undefined])

  for (let n = 0; n < 2; n++) await outcome(false)
  await gateway.signIn({ ...ADA, email: 'ada@elsewhere.example' })
  expect(await shown()).toEqual([undefined, undefined, undefined])
  for (let n = 0; n < 2; n++) await outcome(false)
  expect(await shown()).toEqual([undefined, undefined, undefined])
})
