import { resolve } from 'node:path'
import {
  decimal,
  generatorUrl,
  integer,
  optional,
  productSettings,
  type Program,
  providerSecret,
  type Setting,
  setting,
  url,
} from '@prelude/platform'

/** The settings of storage. */
export interface StorageConfig {
  /** A folder on a volume of this instance's own. */
  readonly stagingDir: string
  /** Of one song, in its list. */
  readonly draftsASong: number
  /** Tasks at the generator, of all songs. */
  readonly draftsAtOnce: number
  /** After which a draft that nobody used is deleted. */
  readonly draftDays: number
}

function jsonObject(value: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
  } catch {
    // the error below
  }
  throw new Error('must be a JSON object, like {"inference_steps": 8}')
}

export const generatorSettings = {
  generatorUrl,
  generatorKey: optional(
    'GENERATOR_KEY',
    'its API key',
    providerSecret(/^[!-~]+$/, 'neither white space nor letters beyond ASCII'),
  ),
  generatorOptions: {
    env: 'GENERATOR_OPTIONS',
    means: 'a JSON object that is merged into each request to it',
    parse: jsonObject,
    write: JSON.stringify,
    fallback: {},
  } satisfies Setting<Readonly<Record<string, unknown>>>,
  draftsAtOnce: setting('DRAFTS_AT_ONCE', 'tasks that it has at a time', integer(1, 100), 2),
  draftsASong: setting('DRAFTS_A_SONG', 'drafts in the list of a song', integer(1, 1000), 12),
  draftDays: setting(
    'DRAFT_DAYS',
    'days after which a draft that was not used is deleted',
    decimal(0, 10_000),
    7,
  ),
}

const storageSettings = {
  blobsUrl: setting('BLOBS_URL', 'where audio is kept, file:///… or s3://…', url),
  blobsPublicUrl: {
    env: 'BLOBS_PUBLIC_URL',
    means: 'origin under which browsers reach the S3 store; without it audio goes through the product',
    parse: url,
    fallback: undefined,
  },
  publicUrl: { ...productSettings.publicUrl, fallback: undefined },
  stagingDir: setting('STAGING_DIR', "a folder on a volume of this instance's own", resolve),
  ...generatorSettings,
}

export const storageProgram: Program<typeof storageSettings> = {
  service: 'storage',
  settings: storageSettings,
  calls: ['songs'],
}
