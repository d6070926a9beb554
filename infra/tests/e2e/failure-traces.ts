import { mkdir, writeFile } from 'node:fs/promises'
import { basename, relative, resolve } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { onTestFinished, type RunnerTestCase, TestRunner } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = `${ROOT}/artifacts/failures`

/** Snapshots of the page around each action take a fifth more processor time: only on demand, to repeat a failed test. */
const snapshots = process.env['TRACE'] === 'snapshots'

/**
 * Records the context for as long as the current test runs, and closes it when the test finishes: a test that failed keeps a
 * Playwright trace (actions, requests, console; `TRACE=snapshots`: the page around each action too) and a screenshot of each
 * page. Answers what closes a context that no test owns.
 */
export async function traceFailure(context: BrowserContext): Promise<() => Promise<void>> {
  if (!TestRunner.getCurrentTest()) return () => context.close()
  await context.tracing.start({ snapshots })
  keepOnFailure(
    async (path) => {
      await context.tracing.stop({ path: `${path}.zip` })
      for (const [n, page] of context.pages().entries())
        await page.screenshot({ path: `${path}-page-${n + 1}.png`, timeout: 5_000 })
      return `See: npx playwright-core show-trace --port 0 ${relative(ROOT, path)}.zip`
    },
    () => context.close(),
  )
  return async () => {}
}

/** The same for a browser without traces: a screenshot. */
export const pictureFailure = (screenshot: () => Promise<Buffer>, close: () => Promise<void>): void =>
  keepOnFailure(async (path) => {
    await writeFile(`${path}.png`, await screenshot())
    return `See ${relative(ROOT, path)}.png`
  }, close)

/** When the current test finishes: `keep`, if it failed, with a path named after the test; then `close`. */
function keepOnFailure(keep: (path: string) => Promise<string>, close: () => Promise<void>): void {
  const test = TestRunner.getCurrentTest<RunnerTestCase>()
  onTestFinished(async () => {
    if (test.result?.state === 'fail') {
      await mkdir(FOLDER, { recursive: true })
      const kept = await keep(freePath(test)).catch((error: unknown) => `Nothing was kept: ${String(error)}`)
      for (const error of test.result.errors ?? []) addLine(error, kept)
    }
    await close()
  })
}

const used = new Map<string, number>()

/** One path for each browser of the test. */
function freePath({ id, file, fullTestName }: RunnerTestCase): string {
  const count = (used.get(id) ?? 0) + 1
  used.set(id, count)
  const name = `${basename(file.name, '.test.ts')} ${fullTestName}`.toLowerCase()
  return `${FOLDER}/${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 120)}-${count}`
}

/** After the first line, since reports cut long messages; a report shows the message or the stack, which begins with it. */
function addLine(error: { message: string; stack?: string }, line: string): void {
  const message = error.message.replace(/\n|$/, `\n${line}$&`)
  if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => message)
  error.message = message
}
