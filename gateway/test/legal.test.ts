import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LegalText } from '@prelude/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewaySettings } from '../src/index.ts'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'prelude-legal-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string | Buffer): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const read = gatewaySettings.termsFile.parse

describe('the file of a setting', () => {
  test('that is not there, a folder, empty, too large or no UTF-8 is refused; one of 200 kB is not', () => {
    for (const [name, text, why] of [
      ['empty.txt', ' \n', 'it is empty'],
      ['large.txt', 'a'.repeat(200_001), 'it has more than 200 kB'],
      ['latin.txt', Buffer.from('Conditions g\xe9n\xe9rales', 'latin1'), 'not valid'],
    ] as const) {
      const file = write(name, text)
      expect(() => read(file)).toThrow(file)
      expect(() => read(file)).toThrow(why)
    }
    expect(() => read(join(folder, 'none', 'terms.txt'))).toThrow('ENOENT')
    mkdirSync(join(folder, 'folder.txt'))
    expect(() => read(join(folder, 'folder.txt'))).toThrow('EISDIR')
    expect(read(write('full.txt', 'a'.repeat(200_000)))?.byLanguage['en']).toHaveLength(200_000)
  })

  test('has its translations beside it, which must be readable too; its own name may say its language', () => {
    const main = write('imprint.de.txt', 'Impressum')
    write('imprint.fr.txt', 'Mentions légales')
    for (const other of ['imprint.md', 'imprints.fr.txt', 'imprint.fr.txt.bak']) write(other, 'another')
    expect(read(main)).toEqual({
      file: main,
      language: 'de',
      byLanguage: { de: 'Impressum', fr: 'Mentions légales' },
    })
    write('imprint.pt.txt', '')
    expect(() => read(main)).toThrow('imprint.pt.txt: it is empty')
  })
})

describe('a product with terms', () => {
  let gateway: TestGateway
  let visitor: Browser
  beforeAll(async () => {
    write('terms.fr.txt', 'Conditions')
    const terms = read(write('terms.txt', '# Terms\n<b>No</b> refunds'))
    gateway = await startGateway({ config: { legal: { terms, privacy: null, imprint: null } } })
    visitor = gateway.visitor()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test('shows them to anyone, in the language that is asked for if there is a text in it', async () => {
    const english = { language: 'en', text: '# Terms\n<b>No</b> refunds' }
    for (const query of ['', '?language=en', '?language=pt', '?language=constructor']) {
      const answer = await visitor.get(`/api/legal/terms${query}`)
      expect([query, answer.status, await answer.json()]).toEqual([query, 200, english])
    }
    const french = (await (await visitor.get('/api/legal/terms?language=fr')).json()) as LegalText
    expect(french).toEqual({ language: 'fr', text: 'Conditions' })
  })

  test('sends a text again only when it is another', async () => {
    const first = await visitor.get('/api/legal/terms')
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('cache-control'), etag]).toEqual([
      'no-cache',
      expect.stringMatching(/^W\/"[\w-]{43}"$/),
    ])
    const ask = async (query: string) => {
      const answer = await visitor.get(`/api/legal/terms${query}`, { 'if-none-match': `"x", ${etag}` })
      return [answer.status, (await answer.text()).length > 0]
    }
    expect(await ask('')).toEqual([304, false])
    expect(await ask('?language=fr')).toEqual([200, true])
  })

  test('has no other page, and its document lists for the app those that it has', async () => {
    for (const page of ['privacy', 'imprint', 'nope', 'constructor']) {
      const answer = await visitor.get(`/api/legal/${page}`)
      expect([page, answer.status, await answer.json()]).toMatchObject([page, 404, { code: 'not_found' }])
    }
    for (const path of ['/', '/terms', '/s/nope'])
      expect(await (await visitor.get(path)).text()).toContain('name="legal-pages" content="terms"')
  })
})
