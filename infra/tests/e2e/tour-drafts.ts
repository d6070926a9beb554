import { test } from './fixtures.ts'
import { picture, WIDE } from './inspect.ts'
import { delivery, openDesk, openSong } from './operator-steps.ts'
import { message } from './steps.ts'
import { give, person, request } from './studio.ts'

/** The picture of the desk with a music generator: other pictures of the tour are without one, as most studios are. */

test.use({ settings: { RATE_LIMITS: 'off', GENERATOR_URL: 'stand-in' } })

test('tour: drafts', async ({ visitOperator }) => {
  const ada = await person({ email: 'ada@example.test', name: 'Ada Obi' })
  await give(ada, 10)
  const lyrics = '[Verse]\nCarry me over the third mainland,\nMorning is soft on the sea'
  const song = await request(ada, lyrics, 'Highlife, warm horns')
  const desk = await visitOperator(WIDE)
  await openDesk(desk, song)
  const drafts = openSong(desk, song).getByRole('region', { name: 'Drafts' })
  await drafts.getByRole('button', { name: 'Make drafts' }).click()
  await drafts
    .getByText(/^Ready · /)
    .nth(1)
    .waitFor()
  await drafts.getByRole('button', { name: 'Use as Version 1' }).first().click()
  await delivery(desk).getByText('peak', { exact: true }).waitFor()
  await message(desk, 'status', '2 drafts asked for.').waitFor({ state: 'detached' })
  await delivery(desk)
    .getByRole('button', { name: 'Swap' })
    .evaluate((it) => it.scrollIntoView({ block: 'center' }))
  await picture(desk.page, 'drafts')
})
