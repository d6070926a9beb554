import { mkdir, writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { onTestFinished, type RunnerTestCase, TestRunner } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../../..')
const FOLDER = `${ROOT}/artifacts/failures`
let taken = 0

/** When the current test finishes: keeps a picture of the page, if it failed; then closes the browser. */
export function pictureFailure(screenshot: () => Promise<Buffer>, close: () => Promise<void>): void {
  const test = TestRunner.getCurrentTest<RunnerTestCase>()
  onTestFinished(async () => {
    if (test.result?.state === 'fail') {
      await mkdir(FOLDER, { recursive: true })
      const path = `${FOLDER}/engines-${++taken}.png`
      const kept = await screenshot().then(
        (picture) => writeFile(path, picture).then(() => `See ${relative(ROOT, path)}`),
        (error: unknown) => `No picture was kept: ${String(error)}`,
      )
      process.stderr.write(`${test.fullTestName}: ${kept}\n`)
    }
    await close()
  })
}
