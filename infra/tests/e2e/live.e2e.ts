import { test } from './fixtures.ts'
import { hold, item } from './steps.ts'
import { person, request } from './studio.ts'

/** Live updates of several tabs. */

test('a tab that subscribes late shows what happened since it was read', async ({ visitAs }) => {
  const ada = await person()
  const song = await request(ada, 'la', 'Missed')
  const visitor = await visitAs(ada)
  const late = { ...visitor, page: await visitor.context.newPage() }
  const release = await hold(late.page, '**/assets/live-updates-*.js')
  await late.page.goto('/', { waitUntil: 'commit' })
  await item(late, 'Missed').waitFor()
  await ada.send('PATCH', `/api/songs/${song.id}`, { title: 'Renamed' })
  await item(visitor, 'Renamed').waitFor()
  release()
  await item(late, 'Renamed').waitFor()
})
