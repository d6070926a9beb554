import { relative } from 'node:path'
import { beforeEach, inject } from 'vitest'
import { repeatCommand } from './repeat-command.ts'

/** Setup file of all suites: a failed test prints the command that repeats it. */
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(() => {
    const file = relative(process.cwd(), task.file.filepath)
    process.stderr.write(`Repeat it with: ${repeatCommand(inject('seed'), inject('config'), file)}\n`)
  })
})
