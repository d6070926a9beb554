import { test } from './fixtures.ts'
import { item } from './steps.ts'
import { person, request } from './studio.ts'

/** Live updates of several tabs. */

test('a tab that subscribes late shows what happened since it was read', async ({ visitAs }) => {
  const ada = await person()
  const song = await request(ada, 'la', 'Missed')
  const visitor = await visitAs(ada)
  const late = { ...visitor, page: await visitor.context.newPage() }
  const held = Promise.withResolvers<void>()
  await late.page.route('**/assets/live-updates-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await late.page.goto('/', { waitUntil: 'commit' })
  await item(late, 'Missed').waitFor()
  await ada.send('PATCH', `/api/songs/${song.id}`, { title: 'Renamed' })
  await item(visitor, 'Renamed').waitFor()
  held.resolve()
  await item(late, 'Renamed').waitFor()
})
