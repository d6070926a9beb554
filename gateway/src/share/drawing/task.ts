import type { CertifiedFile } from '@prelude/contracts'

/** What a certificate's page says. */
export interface Certified {
  readonly id: string
  readonly issuedAt: number
  /** The URL of the page that verifies it. */
  readonly url: string
  readonly brand: string
  readonly name: string
  readonly title: string
  readonly files: readonly CertifiedFile[]
  /** Its cover is on the page. */
  readonly songId: string
}

export type Task =
  | { readonly kind: 'cover'; readonly songId: string }
  | ({ readonly kind: 'certificate' } & Certified)

/** What the thread sends: that it waits for its first task, and answers. */
export type Sent = 'ready' | Answer
export type Answer = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly error: string }

/** Pixels of a cover. */
export const COVER = { width: 1200, height: 630 } as const
