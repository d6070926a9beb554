import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from '../../native/server-process.ts'
import { type ProductProcess, runningProduct } from '../support/product-process.ts'
import { runCommand } from '../support/run-command.ts'

export interface NativeStack {
  dir: string
  environment: NodeJS.ProcessEnv
  product: ProductProcess
  /** `up`, `down`, …; answers its output. */
  run(command: string): string
}

/** `make stack` without containers, for the tests of a `describe`; its fields are set once it is up. */
export function nativeStack(): NativeStack {
  const stack: NativeStack = {
    dir: '',
    environment: {},
    product: undefined as unknown as ProductProcess,
    run: (command) => runCommand(stack.environment, ['infra/stack/main.ts', command]),
  }
  beforeAll(async () => {
    stack.dir = await mkdtemp(join(tmpdir(), 'prelude-stack-'))
    stack.environment = {
      ...process.env,
      STACK: 'native',
      STACK_DIR: stack.dir,
      PORT: String(await freePort()),
      RATE_LIMITS: 'off',
    }
    stack.run('up')
    stack.product = await runningProduct(stack.dir)
  })
  afterAll(async () => {
    stack.run('down')
    await rm(stack.dir, { recursive: true, force: true })
  })
  return stack
}
