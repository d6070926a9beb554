import {
  AccountClosed,
  messagesApi,
  MessagesRead,
  MessageWritten,
  NoticeAdded,
  noticesApi,
  peopleApi,
  type Side,
  songsApi,
} from '@prelude/contracts'
import { newId, route } from '@prelude/platform'
import { requestedSong, testService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { createNotifier } from '../src/index.ts'
import type { Mail } from '../src/mail/port.ts'
import { BRANDING, personOf, runJob } from './start-notifier.ts'

/** Mails and the notice about what owner and operator write to each other. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** With a songs service that knows the unread messages of each song. */
async function startNotifier() {
  const sent: Mail[] = []
  const unread = new Map<string, { from: Side; text: string; at: number }[]>()
  const unreadOf = (songId: string, from: Side) =>
    (unread.get(songId) ?? []).filter((one) => one.from === from)
  const mailer = {
    send: async (mail: Mail) => void sent.push(mail),
    ping: async () => {},
    close: async () => {},
  }
  const service = await testService(
    (deps) => createNotifier({ ...deps, instance: 'one', mailer, config: BRANDING }),
    {
      calls: {
        songs: (app) => {
          route(app, songsApi.byIds, async ({ body: { ids } }) => ({
            items: ids.map((id) =>
              requestedSong({ id, title: `Song ${id}`, unreadByOperator: unreadOf(id, 'owner').length }),
            ),
          }))
          route(app, messagesApi.unread, async ({ params: { id = '' }, query: { from } }) => ({
            items: unreadOf(id, from).map((one) => ({ id: newId(), readAt: null, ...one })),
          }))
        },
        gateway: (app) => route(app, peopleApi.get, async () => personOf('u1')),
      },
    },
  )
  const write = async (from: Side, text: string, { songId = 'A', uid = 'u1' } = {}) => {
    service.clock.pass(1)
    const at = service.clock.now()
    unread.set(songId, [...(unread.get(songId) ?? []), { from, text, at }])
    const data = { songId, uid, from, at, unread: unreadOf(songId, from).length }
    const again = () => service.deliver(MessageWritten, data)
    await again()
    return again
  }
  return {
    ...service,
    write,
    /** The other side reads all of them; of the operator's reading there is no event. */
    read: async (by: Side, songId = 'A') => {
      const [left, gone] = [unreadOf(songId, by), unreadOf(songId, by === 'owner' ? 'studio' : 'owner')]
      unread.set(songId, left)
      if (by === 'owner') await service.deliver(MessagesRead, { songId, uid: 'u1', at: gone.at(-1)?.at ?? 0 })
    },
    /** Lets time pass; answers the mails that become due. */
    later: async (ms = 0): Promise<Mail[]> => {
      service.clock.pass(ms)
      const before = sent.length
      await runJob(service, 'send-due-messages')
      return sent.slice(before)
    },
    notices: async () => (await service.api(noticesApi).list({ params: { uid: 'u1' }, query: {} })).items,
  }
}

test('the first unread message is mailed to the owner at once, further ones of the hour in one mail at its end', async () => {
  await using notifier = await startNotifier()
  const again = [await notifier.write('studio', 'Ngozi or <Ngozie>?')]
  const [first, ...none] = await notifier.later()
  expect(none).toEqual([])
  expect(first).toMatchObject({ to: 'ada@example.com', subject: 'New message about “Song A”' })
  expect(first?.text).toContain('Ngozi or <Ngozie>?')
  expect(first?.text).toContain('Answer: http://localhost:8080/songs/A#messages')
  expect(first?.html).toContain('Ngozi or &#60;Ngozie&#62;?')
  expect(first).not.toHaveProperty('unsubscribeUrl')
  again.push(await notifier.write('studio', 'We need it today'))
  again.push(await notifier.write('studio', 'Please'))
  expect(await notifier.later(HOUR_MS - MINUTE_MS)).toEqual([])
  const [second, ...more] = await notifier.later(2 * MINUTE_MS)
  expect(more).toEqual([])
  for (const text of ['Ngozi or <Ngozie>?', 'We need it today', 'Please'])
    expect(second?.text).toContain(text)
  for (const repeat of again) await repeat()
  expect(await notifier.later(3 * HOUR_MS)).toEqual([])
  await notifier.write('studio', 'still there?')
  expect(await notifier.later()).toHaveLength(1)
})

test('what the owner has read is not mailed, and the next message after it is a first one again', async () => {
  await using notifier = await startNotifier()
  await notifier.write('studio', 'one')
  expect(await notifier.later()).toHaveLength(1)
  const again = await notifier.write('studio', 'two')
  await notifier.read('owner')
  await notifier.write('studio', 'three')
  const [mail, ...none] = await notifier.later(MINUTE_MS)
  expect(none).toEqual([])
  expect(mail?.text).toContain('three')
  expect(mail?.text).not.toContain('two')
  await again()
  await notifier.write('studio', 'four')
  await notifier.read('owner')
  expect(await notifier.later(2 * HOUR_MS)).toEqual([])
})

test('the operator receives one mail an hour and song, whatever was read, and none about what was read', async () => {
  await using notifier = await startNotifier()
  await notifier.write('owner', 'Ngozi')
  const [first, ...none] = await notifier.later()
  expect(none).toEqual([])
  expect(first).toMatchObject({ to: BRANDING.operatorEmail, subject: 'Message about Song A' })
  expect(first?.text).toContain('Ngozi')
  expect(first?.text).toContain('http://localhost:8080/operator?song=A#messages')
  await notifier.read('studio')
  await notifier.write('owner', 'with a z')
  await notifier.write('owner', 'no, without', { songId: 'B' })
  expect((await notifier.later(MINUTE_MS)).map(({ subject }) => subject)).toEqual(['Message about Song B'])
  expect((await notifier.later(HOUR_MS)).map(({ subject }) => subject)).toEqual(['Message about Song A'])
  await notifier.write('owner', 'thanks')
  await notifier.read('studio')
  expect(await notifier.later(HOUR_MS)).toEqual([])
})

test('beyond five songs of a person within an hour, the operator receives one digest an hour', async () => {
  await using notifier = await startNotifier()
  const again = []
  for (const songId of 'ABCDEFGH') again.push(await notifier.write('owner', 'hm', { songId }))
  await notifier.write('owner', 'hm', { songId: 'X', uid: 'u2' })
  await notifier.write('owner', 'more', { songId: 'F' })
  expect((await notifier.later()).map(({ subject }) => subject).toSorted()).toEqual(
    ['A', 'B', 'C', 'D', 'E', 'X'].map((id) => `Message about Song ${id}`),
  )
  await notifier.read('studio', 'G')
  expect(await notifier.later(HOUR_MS - MINUTE_MS)).toEqual([])
  const [digest, ...none] = await notifier.later(2 * MINUTE_MS)
  expect(none).toEqual([])
  expect(digest).toMatchObject({
    to: BRANDING.operatorEmail,
    subject: 'Messages of one person about 2 more songs',
  })
  const desk = 'http://localhost:8080/operator'
  expect(digest?.text.match(/^.+: http.+$/gm)).toEqual([
    `Open the desk: ${desk}`,
    `Song F (2 unread): ${desk}?song=F#messages`,
    `Song H (1 unread): ${desk}?song=H#messages`,
  ])
  for (const repeat of again) await repeat()
  await notifier.write('owner', 'once more', { songId: 'F' })
  expect(await notifier.later()).toEqual([])
  expect((await notifier.later(HOUR_MS)).map(({ subject }) => subject)).toEqual(['Messages about Song F'])
})

test('unread messages of a song are one notice, which moves to the top, and is read with them', async () => {
  await using notifier = await startNotifier()
  const again = await notifier.write('studio', 'one')
  await notifier.write('studio', 'other', { songId: 'B' })
  await notifier.write('studio', 'two')
  await again()
  const [top, other, ...none] = await notifier.notices()
  expect(none).toEqual([])
  expect([top, other]).toMatchObject([
    { kind: 'message', songId: 'A', readAt: null },
    { kind: 'message', songId: 'B', readAt: null },
  ])
  await notifier.read('owner')
  const readAt = (await notifier.notices())[0]?.readAt
  expect(readAt).toEqual(expect.any(Number))
  await again()
  expect((await notifier.notices())[0]?.readAt).toBe(readAt)
  await notifier.write('owner', 'an answer')
  await notifier.write('studio', 'three')
  expect((await notifier.notices())[0]).toMatchObject({ id: top?.id, songId: 'A', readAt: null })
  const announced = (await notifier.emitted()).filter(({ type }) => type === NoticeAdded.type)
  expect(announced.map(({ data }) => [data['songId'], data['readAt']])).toEqual([
    ['A', undefined],
    ['B', undefined],
    ['A', undefined],
    ['A', readAt],
    ['A', undefined],
  ])
  await notifier.deliver(AccountClosed, { uid: 'u1' })
  await again()
  await notifier.write('studio', 'nobody')
  expect(await notifier.notices()).toEqual([])
  expect((await notifier.later(2 * HOUR_MS)).map(({ subject }) => subject)).not.toContain(
    'New message about “Song A”',
  )
})
