import { resolve } from 'node:path'
import { type Program, productSettings, url } from '@prelude/platform'

/** The settings of storage. */
export interface StorageConfig {
  /** A folder on a volume of this instance's own. */
  readonly stagingDir: string
}

const storageSettings = {
  blobsUrl: { env: 'BLOBS_URL', means: 'where audio is kept, file:///… or s3://…', parse: url },
  blobsPublicUrl: {
    env: 'BLOBS_PUBLIC_URL',
    means: 'origin under which browsers reach the S3 store; without it audio goes through the product',
    parse: url,
    fallback: undefined,
  },
  publicUrl: { ...productSettings.publicUrl, fallback: undefined },
  stagingDir: { env: 'STAGING_DIR', means: "a folder on a volume of this instance's own", parse: resolve },
}

export const storageProgram: Program<typeof storageSettings> = {
  service: 'storage',
  settings: storageSettings,
  calls: ['songs'],
}
