import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

/** The build that `make test` made. */
const DIST = resolve(import.meta.dirname, '../dist')

test('the build compresses its scripts, styles and pictures, and nothing that is filled in later', () => {
  if (!existsSync(DIST)) throw new Error('the web app is not built: make web/dist/index.html')
  const names = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  const bytes = (name: string): Buffer => readFileSync(join(DIST, name))
  const texts = names.filter((name) => /\.(js|css|svg)$/.test(name))
  expect(texts.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1)
  for (const name of texts) {
    expect(brotliDecompressSync(bytes(`${name}.br`)).equals(bytes(name))).toBe(true)
    expect(gunzipSync(bytes(`${name}.gz`)).equals(bytes(name))).toBe(true)
  }
  expect(names.filter((name) => /(html|webmanifest)\.(br|gz)$/.test(name))).toEqual([])
  // the service worker keeps what browsers ask for by name
  expect(bytes('sw.js').toString()).not.toMatch(/\.(br|gz)"/)
})
