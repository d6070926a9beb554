import type { TestProject } from 'vitest/node'
import { startProductProcess } from '../support/product-process.ts'

/** One running product for most test files; a file that stops the product has its own. */
export interface StudioPlace {
  readonly dataDir: string
  readonly web: string
  readonly checkout: string
  readonly mailbox: string
  readonly operator: { readonly email: string; readonly password: string }
}

declare module 'vitest' {
  export interface ProvidedContext {
    studio: StudioPlace
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await startProductProcess({ RATE_LIMITS: 'off', TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' })
  const { web, checkout, mailbox, operator } = product.endpoints
  if (checkout === null || mailbox === null) throw new Error('the stand-ins do not run')
  project.provide('studio', { dataDir: product.dataDir, web, checkout, mailbox, operator })
  return async () => product[Symbol.asyncDispose]()
}
