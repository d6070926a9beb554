import { eventually } from '@prelude/platform/eventually'
import type { TestProject } from 'vitest/node'
import { prelude } from '../../support/run-command.ts'
import { startProductProcess } from '../../support/product-process.ts'
import { webhookSecret } from '../../support/webhook-secret.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The data folder of the one product of all tests of the project. */
    product: string
  }
}

/** Starts one product for the project; what all of its tests did together must add up at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await startProductProcess({
    RATE_LIMITS: 'off',
    TRUSTED_COUNTRY_HEADER: 'cf-ipcountry',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    GENERATOR_URL: 'stand-in',
  })
  project.provide('product', product.dataDir)
  return async () => {
    try {
      await eventually(() => product.checkInvariants())
      // an event that is handled once more has no effect
      prelude({ ...process.env, DATA_DIR: product.dataDir }, ['find-missed'])
    } finally {
      await product[Symbol.asyncDispose]()
    }
  }
}
