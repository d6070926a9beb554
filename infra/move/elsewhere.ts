import { open, readConfig, url } from '@prelude/platform'
import type { Side } from './move.ts'

const settings = {
  adminUrl: { env: 'DATABASE_ADMIN_URL', means: 'owner of the database there', parse: url, fallback: null },
  blobsUrl: { env: 'BLOBS_URL', means: 'the object store there', parse: url, fallback: null },
}

/** Servers that are no data folder's, when both of their addresses are given. */
export function elsewhere(env: NodeJS.ProcessEnv): Side | null {
  const { adminUrl, blobsUrl } = readConfig(settings, env)
  return adminUrl === null || blobsUrl === null ? null : { adminUrl, blobs: open.blobs(blobsUrl) }
}
