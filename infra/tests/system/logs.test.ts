import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { buyCredits, signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'
const PLANTED = {
  lyrics: 'planted-lyrics-4711',
  style: 'planted-style-4711',
  name: 'Planted-Name-4711',
  email: 'planted-address-4711@prelude.test',
  reason: 'planted-reason-4711',
  file: 'planted-file-4711.mp3',
}

interface Line {
  readonly msg: string
  readonly service?: string
  readonly requestId?: string
  readonly correlationId?: string
  readonly type?: string
}

test('logs follow a request by its id through all services, and hold nothing that people wrote', async () => {
  await using product = await startProductProcess({ LOG_LEVEL: 'trace' })
  const { operator } = product.endpoints
  const singer = await signIn(product, { email: PLANTED.email, name: PLANTED.name })
  const { lyrics, style } = PLANTED
  const requestId = 'followed-request-1'
  const submit = await singer.post<{ id: string }>(
    '/api/songs',
    { lyrics, style },
    { 'x-request-id': requestId },
  )
  await buyCredits(singer, 25)
  await singer.post('/api/songs', `{"lyrics": "${lyrics}"`)
  await singer.post('/api/payments', { amount: 'NaN', userId: PLANTED.name })
  await singer.get(`/api/songs?q=${lyrics}`)
  const boss = await signIn(product, { email: operator.email })
  await boss.post('/api/operator/unlock', { password: operator.password })
  await boss.post('/api/operator/credits', { email: PLANTED.email, credits: 1, reason: PLANTED.reason })
  const form = new FormData()
  for (const version of ['version1', 'version2']) form.set(version, new Blob(['no audio']), PLANTED.file)
  await boss.send('POST', `/api/operator/songs/${submit.body.id}/fulfil`, form)
  const mails = async () => {
    const address = `${product.endpoints.mailbox ?? ''}/api/messages?to=${encodeURIComponent(PLANTED.email)}`
    return ((await (await fetch(address)).json()) as unknown[]).length
  }
  const written = () =>
    product
      .output()
      .split('\n')
      // the welcome is not part of the log: it shows the operator's password by design
      .filter((line) => line.startsWith('{'))
  const followed = () =>
    written()
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.correlationId === requestId || line.requestId === requestId)
  await eventually(async () => {
    expect(await mails()).toBeGreaterThan(0)
    const lines = followed().map(({ msg, service, type }) => [msg, service, type].join(' ').trim())
    expect(lines).toEqual(
      expect.arrayContaining([
        'event credits SongRequested',
        'event notifier CreditsDeclined',
        'mail sent notifier',
      ]),
    )
  })
  expect(followed().filter(({ msg }) => msg === 'request')).toHaveLength(1)
  const password = operator.password
  const cookies = [singer.cookie, boss.cookie].map((cookie) => cookie.split('=')[1] ?? '')
  for (const secret of [...Object.values(PLANTED), password, ...cookies])
    expect(written().join('\n')).not.toContain(secret)
})
