import type { TestProject } from 'vitest/node'
import { startProductProcess } from '../../support/product-process.ts'
import { requireWebBuild } from '../web-build.ts'

/** One running product for the three engines. */
interface Studio {
  readonly web: string
  readonly operator: { readonly email: string; readonly password: string }
}

declare module 'vitest' {
  export interface ProvidedContext {
    studio: Studio
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  requireWebBuild()
  const product = await startProductProcess({ RATE_LIMITS: 'off', TRUSTED_COUNTRY_HEADER: 'cf-ipcountry' })
  const { web, operator } = product.endpoints
  project.provide('studio', { web, operator })
  return async () => product[Symbol.asyncDispose]()
}
