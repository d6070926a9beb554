import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buffered } from '../runner/run.ts'
import { runSuite } from '../runner/suite.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const KEPT = `${ROOT}/artifacts/failures/one-an-example-fails-1`

/** Runs a test file as a vitest process of its own; answers its failure messages. */
async function failuresOf(source: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prelude-traces-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(`${ROOT}/node_modules/vitest`, join(folder, 'node_modules/vitest'))
  await writeFile(join(folder, 'one.test.ts'), source)
  const config = join(folder, 'vitest.config.js')
  await writeFile(config, `export default { test: { root: ${JSON.stringify(folder)} } }`)
  const outcomes = await runSuite({ name: 'one', config, only: [] }, 7, folder, buffered())
  return outcomes.map(({ reason }) => reason)
}

test('a test that fails keeps a trace and a screenshot, and its message says where; one that passes keeps nothing', async () => {
  const remove = async (): Promise<void> => {
    for (const end of ['.zip', '-page-1.png']) await rm(KEPT + end, { force: true })
  }
  onTestFinished(remove)
  const source = (expected: string): string => `
    import { afterAll, beforeAll, expect, test } from 'vitest'
    import { launchBrowser } from '${import.meta.dirname}/browser.ts'
    import { visit } from '${import.meta.dirname}/steps.ts'
    let browser
    beforeAll(async () => void (browser = await launchBrowser()))
    afterAll(() => browser.close())
    test('an example fails', async () => {
      await using visitor = await visit(browser)
      await visitor.page.goto('data:text/html,<h1>seen</h1>')
      expect(await visitor.page.getByRole('heading').textContent()).toBe('${expected}')
    })`
  const [failure] = await failuresOf(source('something else'))
  expect(failure).toContain('show-trace --port 0 artifacts/failures/one-an-example-fails-1.zip')
  for (const end of ['.zip', '-page-1.png']) expect((await stat(KEPT + end)).size).toBeGreaterThan(1_000)
  await remove()
  expect(await failuresOf(source('seen'))).toEqual([''])
  await expect(stat(`${KEPT}.zip`)).rejects.toThrow('ENOENT')
})
