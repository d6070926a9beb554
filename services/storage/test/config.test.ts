import { resolve } from 'node:path'
import { readConfig } from '@prelude/platform'
import { expect, test } from 'vitest'
import { storageProgram } from '../src/config.ts'

test('the staging folder is found from any working directory', () => {
  const env = { BLOBS_URL: 'file:///blobs', STAGING_DIR: 'staging' }
  expect(readConfig(storageProgram.settings, env).stagingDir).toBe(resolve('staging'))
})
