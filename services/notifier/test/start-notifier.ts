import { requestedSong, type TestService, testService } from '@prelude/platform/testing'
import {
  paymentsApi,
  peopleApi,
  type PaymentRecord,
  type Song,
  songsApi,
  STANDARD_TERMS,
} from '@prelude/contracts'
import { route } from '@prelude/platform'
import { createNotifier } from '../src/index.ts'
import type { Mail } from '../src/mail/port.ts'

export const PAYMENT: PaymentRecord = {
  id: 'p1',
  uid: 'u1',
  method: 'card',
  amountCents: 2500,
  currency: 'USD',
  creditsCents: 2500,
  status: 'paid',
  refundedCents: 0,
  url: null,
  receiptUrl: null,
  revision: 2,
  createdAt: 0,
}
export const BRANDING = {
  brandName: 'Prelude',
  publicUrl: 'http://localhost:8080',
  supportEmail: 'help@prelude.test',
  operatorEmail: 'operator@prelude.test',
  ...STANDARD_TERMS,
}

/** What the gateway answers about a person. */
export const personOf = (uid: string) => ({
  uid,
  name: 'Ada Lovelace',
  firstName: 'Ada',
  email: 'ada@example.com',
})

/** One round of a job. */
export async function runJob({ service }: Pick<TestService, 'service'>, name: string): Promise<void> {
  const job = service.jobs?.find((one) => one.name === name)
  if (!job) throw new Error(`no job ${name}`)
  await job.run(new AbortController().signal)
}

/** The notifier with owners that know every song, payment and person; each song is as `songOf` says. */
export async function startNotifier(
  options: Partial<Parameters<typeof createNotifier>[0]> = {},
  songOf: () => Partial<Song> = () => ({}),
) {
  const sent: Mail[] = []
  const mailer = {
    send: async (mail: Mail) => void sent.push(mail),
    ping: async () => {},
    close: async () => {},
  }
  const service = await testService(
    (deps) => createNotifier({ ...deps, instance: 'one', mailer, config: BRANDING, ...options }),
    {
      calls: {
        songs: (app) =>
          route(app, songsApi.byIds, async ({ body: { ids } }) => ({
            items: ids.map((id) => requestedSong({ ...songOf(), id })),
          })),
        payments: (app) =>
          route(app, paymentsApi.get, async ({ params: { id = '' } }) => ({ ...PAYMENT, id })),
        gateway: (app) => {
          route(app, peopleApi.get, async ({ params: { uid = '' } }) => personOf(uid))
          route(app, peopleApi.closingMail, async ({ params: { uid = '' } }) => personOf(uid))
        },
      },
    },
  )
  return {
    ...service,
    sent,
    run: (name: string) => runJob(service, name),
  }
}
