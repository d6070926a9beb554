import type { Song } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { openDesk, openSong, paidSong, songNow } from './operator-steps.ts'
import { button, region } from './owner-steps.ts'
import { item } from './steps.ts'

test('owner and operator write to each other about a song: nothing that is not sent is lost, and each sees what was read', async ({
  visitAs,
  visitOperator,
}) => {
  const { owner, song } = await paidSong('For Ngozi')
  const [desk, ada] = [await visitOperator(), await visitAs(owner)]
  await openDesk(desk, song)
  const studio = openSong(desk, song).getByRole('region', { name: 'Messages' })
  const asking = studio.getByRole('textbox', { name: 'Message' })
  await button(studio, 'Send').click()
  await studio.getByRole('alert').waitFor()
  await asking.fill('Ngozi or\nNgozie?')
  await desk.page.route('**/messages', (route) => route.abort(), { times: 1 })
  await asking.press('Control+Enter')
  await studio.getByRole('alert').waitFor()
  await expect(asking).toHaveValue('Ngozi or\nNgozie?')
  await desk.page.reload()
  await asking.press('ControlOrMeta+Enter')
  await expect(asking).toHaveValue('')
  const asked = studio.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  await expect(asked).toHaveText(/You.*Ngozi or\s+Ngozie\?/)

  await region(ada, 'Needs you').getByRole('link', { name: '1 with new messages' }).waitFor()
  await item(ada, 'For Ngozi').getByRole('link', { name: '1 new message' }).click()
  const thread = region(ada, 'Messages')
  await expect(thread).toBeInViewport()
  await thread.getByText('Ngozi or').waitFor()
  await asked.getByText('read').waitFor()
  await expect(thread.getByRole('status')).toHaveText('')
  await thread.getByRole('textbox', { name: 'Message' }).fill('Ngozi, as in the chorus')
  await button(thread, 'Send').click()
  await expect(asked).toHaveCount(2)
  await expect(studio.getByRole('status')).toHaveText('A new message has arrived.')
  // a push whose notification is opened comes to this tab
  await ada.page.evaluate(() => {
    const open = location.pathname + location.hash
    navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { open } }))
  })
  await expect(thread).toBeFocused()
  const wrong = [
    ...(await inspect(ada, 'messages of a song')),
    ...(await inspect(desk, 'messages at the desk')),
  ]
  expect(wrong).toEqual([])
  await asking.fill('Thank you')
  await button(studio, 'Send').click()
  await expect(thread.getByRole('status')).toHaveText('A new message has arrived.')
  await expect(thread.getByRole('listitem').last()).toHaveText(/Studio.*Thank you/)
  await expect.poll(async () => (await songNow(song)).messages).toEqual({ count: 3, unread: 0 })

  await openDesk(desk)
  await owner.post(`/api/songs/${song.id}/messages`, { text: 'One more thing' })
  await desk.page.getByRole('checkbox', { name: 'Unread' }).check()
  await desk.page.getByRole('link', { name: /For Ngozi.*1 new message/ }).waitFor()

  // the time after which messages end is counted in days
  await ada.page.route(`**/api/songs/${song.id}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as Song), closedAt: 1 } })
  })
  await ada.page.reload()
  await thread.getByText('Messages about this song are closed.').waitFor()
  await expect(thread.getByRole('textbox')).toHaveCount(0)
  await expect(thread.getByRole('listitem')).toHaveCount(4)
  expect(ada.errors).toEqual([])
})
