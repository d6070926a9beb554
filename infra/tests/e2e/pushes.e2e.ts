import { ARGS, wholeChromium } from './browser.ts'
import { expect, test } from './fixtures.ts'
import { WITH_WORKER } from './steps.ts'
import { person, studio } from './studio.ts'

/** Pushes, in the whole browser: the headless shell has no notifications. */

test.use({ launchOptions: { executablePath: wholeChromium() ?? '', args: ARGS } })
test.skip(wholeChromium() === undefined, 'only the headless shell is installed')

test('the service worker shows a push as a notification of its song, in the language that was chosen @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person(), WITH_WORKER)
  const { page, context } = visitor
  await context.grantPermissions(['notifications'])
  // it controls the page a little before it takes pushes
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
  const session = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first) resolve(first.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const deliver = (songId: string) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(studio().web).origin,
      registrationId,
      data: JSON.stringify({ kind: 'ready', songId, title: 'Your song is ready', url: `/songs/${songId}` }),
    })
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      const all = await registration?.getNotifications()
      return all?.map(({ title, tag, data }) => `${title} ${tag} ${data as string}`).toSorted()
    })
  const one = (songId: string, title = 'Your song is ready') => `${title} ${songId} /songs/${songId}`
  // a worker that is just starting drops what the protocol delivers; the same cause is one notice, however often it comes
  const shownAfter = (songId: string) => async () => {
    await deliver(songId)
    return shown()
  }
  await expect.poll(shownAfter('s1')).toEqual([one('s1')])
  await expect.poll(shownAfter('s2')).toEqual([one('s1'), one('s2')])
  await deliver('s1')
  await expect.poll(shownAfter('s2')).toEqual([one('s1'), one('s2')])

  await page.getByRole('button', { name: 'Français' }).click()
  await expect.poll(shownAfter('s1')).toEqual([one('s1', 'Votre chanson est prête'), one('s2')].toSorted())
})
