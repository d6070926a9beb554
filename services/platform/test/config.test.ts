import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { integer, readConfig, text } from '../src/host/config.ts'

const SETTINGS = {
  secret: { env: 'SECRET', means: 'a secret', parse: text },
  port: { env: 'PORT', means: 'a port', parse: integer(1, 65_535), fallback: 80 },
}

let dir = ''
let file = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prelude-config-'))
  file = join(dir, 'secret')
  await writeFile(file, 'from a file\n')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('a value can lie in a file, which ends with a line end or not', () => {
  expect(readConfig(SETTINGS, { SECRET_FILE: file })).toEqual({ secret: 'from a file', port: 80 })
})

test('an empty file is a value that is not set', async () => {
  const empty = join(dir, 'empty')
  await writeFile(empty, '\n')
  expect(readConfig(SETTINGS, { SECRET: 'x', PORT_FILE: empty }).port).toBe(80)
  expect(() => readConfig(SETTINGS, { SECRET_FILE: empty })).toThrow('SECRET is missing')
})

test('a folder holds values in files with the names of their settings; what is not in it has its default', async () => {
  const folder = join(dir, 'secrets')
  await mkdir(folder)
  await writeFile(join(folder, 'SECRET'), 'from the folder\n')
  const env = { SETTINGS_DIR: folder }
  expect(readConfig(SETTINGS, env)).toEqual({ secret: 'from the folder', port: 80 })
  expect(readConfig(SETTINGS, { ...env, SECRET: '' }).secret).toBe('from the folder')
  expect(readConfig(SETTINGS, { ...env, SECRET_FILE: file }).secret).toBe('from a file')
  expect(() => readConfig(SETTINGS, { ...env, SECRET: 'x' })).toThrow(/SECRET and .*SECRET are both set/)
})

test('one error names a value that is given twice, and a file that does not exist, beside everything else', () => {
  const both = { SECRET: 'x', SECRET_FILE: file, PORT_FILE: join(dir, 'none') }
  expect(() => readConfig(SETTINGS, both)).toThrow(
    /SECRET and SECRET_FILE are both set; PORT has a file that cannot be read/,
  )
})
