import { expect, inject, test } from 'vitest'
import { caller, settled } from '../support/callers.ts'
import { startProductProcess } from '../support/product-process.ts'
import { webhookSecret } from '../support/webhook-secret.ts'
import type { Document } from '../system/api/document.ts'
import { randomOf } from './generate.ts'
import { livesOf } from './lives.ts'

const limitMs = Number(process.env['SOAK_MINUTES'] ?? 50) * 60_000

test(
  'any calls in any order by visitors, people and the operator are answered as the document says, and break nothing',
  async () => {
    await using product = await startProductProcess({
      GENERATOR_URL: 'stand-in',
      RATE_LIMITS: 'off',
      STARTING_CREDITS: '500',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
    })
    const { body: document } = await caller(product)<Document>('GET', '/api/openapi.json')
    const { step, statuses, operator } = livesOf(product, document, randomOf(inject('seed')))
    const end = performance.now() + limitMs
    let steps = 0
    for (; performance.now() < end; steps++)
      await step().catch((error: Error) => {
        throw new Error(
          `${error.message}\nthe product's last words:\n${product.output().slice(-5000)}`,
          error,
        )
      })
    const refused = [...statuses].filter(([, seen]) => ![...seen].some((status) => status < 400))
    const list = refused.map(([name, seen]) => `${name} (${[...seen].join(', ')})`).join('\n')
    process.stderr.write(
      `${steps} steps, ${statuses.size - refused.length} operations succeeded, these did not:\n${list}\n`,
    )
    expect(statuses.size - refused.length).toBeGreaterThan(statuses.size / 2)
    expect((await (await operator())('GET', '/api/operator/ops')).status).toBe(200)
    await settled(product)
    expect(product.output()).not.toContain('request failed')
    expect(product.checkInvariants()).toContain(' 0 broken')
  },
  limitMs + 300_000, // the call that runs at the end, and what is checked afterwards
)
