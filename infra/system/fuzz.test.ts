import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { caller, type Somebody, somebody, unlockedOperator } from './api/callers.ts'
import { webhookSecret } from './api/checkout.ts'
import { callEverything, COUNTRY } from './api/whole-api.ts'
import { fuzz, installSchemathesis } from './fuzz/schemathesis.ts'
import { startProductProcess } from './product-process.ts'

/** How long each caller tries; a new FUZZ_SEED tries other things. */
const OPERATOR_SECONDS = 30
const PERSON_SECONDS = 20

test(
  'whatever is sent, the API breaks nowhere and answers only what its document says',
  { timeout: 360_000 },
  async ({ skip }) => {
    const missing = await installSchemathesis()
    if (missing !== null) {
      console.warn(`NOT FUZZED: ${missing}`)
      skip(missing)
    }
    await using product = await startProductProcess({
      RATE_LIMITS: 'off',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
    })
    const [person, operator] = [await somebody(product), await unlockedOperator(product)]
    const made = await callEverything({ product, visitor: caller(product), person, operator })
    const ids = {
      songs: [made.readySong.id, made.pendingSong.id],
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
        folder,
        exclude,
      })
      expect(code, `as ${who}:\n${report}`).toBe(0)
      expect(report).toMatch(/\d+ generated, \d+ passed/)
    }
    // who closes an account ends the sessions of whoever it was
    await as('the operator', operator, OPERATOR_SECONDS, '/close$')
    await as('a person', person, PERSON_SECONDS, '^/api/operator/|/close$')

    // nothing of this ended a session, broke a balance or was logged as a bug
    for (const one of [person, operator]) expect((await one.call('GET', '/api/me')).status).toBe(200)
    expect(product.output()).not.toContain('request failed')
    expect(product.checkInvariants()).toContain(' 0 broken')
  },
)
