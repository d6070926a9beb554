import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { caller, type Somebody, somebody, unlockedOperator } from '../support/callers.ts'
import { webhookSecret } from '../support/webhook-secret.ts'
import { callEverything, COUNTRY } from './api/whole-api.ts'
import { findSchemathesis, fuzz } from './fuzz/schemathesis.ts'
import { startProductProcess } from '../support/product-process.ts'
import { whyMissing } from '../support/with-server.ts'

/** Duration for each caller. */
const OPERATOR_SECONDS = 20
const PERSON_SECONDS = 12

test('generated requests cause no 5xx and only answers that the API document describes', async ({ skip }) => {
  const missing = await whyMissing('Schemathesis', findSchemathesis)
  skip(missing !== null, missing ?? '')
  await using product = await startProductProcess({
    RATE_LIMITS: 'off',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
  })
  const [person, operator] = [await somebody(product), await unlockedOperator(product)]
  const made = await callEverything({ product, visitor: caller(product), person, operator })
  const ids = {
    songs: [made.readySong.id, made.pendingSong.id],
    shares: made.share,
    certificates: [made.readySong.certificate?.id ?? ''],
    payments: [made.payment],
    transfers: [made.transfer],
    uploads: [made.upload],
  }
  const as = async (who: string, { cookie }: Somebody, seconds: number, exclude: string): Promise<void> => {
    const folder = join(product.dataDir, `fuzz-${who}`)
    await mkdir(folder)
    const { web } = product.endpoints
    const { code, report } = await fuzz({
      web,
      headers: { cookie, ...COUNTRY },
      ids,
      seconds,
      seed: inject('seed'),
      folder,
      exclude,
    })
    expect(code, `as ${who}:\n${report}`).toBe(0)
    // on a slow machine fewer than one for each operation would prove little
    const number = (pattern: RegExp): number => Number(pattern.exec(report)?.[1] ?? 0)
    const operations = number(/Selected: (\d+)/)
    expect(operations).toBeGreaterThan(20)
    expect(number(/(\d+) generated/)).toBeGreaterThanOrEqual(operations)
  }
  // closing an account ends the sessions of its person
  await as('the operator', operator, OPERATOR_SECONDS, '/close$')
  await as('a person', person, PERSON_SECONDS, '^/api/operator/|/close$')

  // no session has ended, no invariant is broken, and no error was logged
  for (const one of [person, operator]) expect((await one.call('GET', '/api/me')).status).toBe(200)
  expect(product.output()).not.toContain('request failed')
  expect(product.checkInvariants()).toContain(' 0 broken')
})
