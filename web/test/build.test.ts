import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'

test('the build compresses its scripts, styles and pictures, and nothing that is filled in later', async () => {
  const outDir = mkdtempSync(join(tmpdir(), 'prelude-build-'))
  onTestFinished(() => rmSync(outDir, { recursive: true }))
  const configFile = resolve(import.meta.dirname, '../vite.config.ts')
  await build({ configFile, logLevel: 'silent', build: { outDir } })
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
  const bytes = (name: string): Buffer => readFileSync(join(outDir, name))
  const texts = names.filter((name) => /\.(js|css|svg)$/.test(name))
  expect(texts.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1)
  for (const name of texts) {
    expect(brotliDecompressSync(bytes(`${name}.br`)).equals(bytes(name))).toBe(true)
    expect(gunzipSync(bytes(`${name}.gz`)).equals(bytes(name))).toBe(true)
  }
  expect(names.filter((name) => /(html|webmanifest)\.(br|gz)$/.test(name))).toEqual([])
  // the service worker keeps what browsers ask for by name
  expect(bytes('sw.js').toString()).not.toMatch(/\.(br|gz)"/)
}, 120_000)
