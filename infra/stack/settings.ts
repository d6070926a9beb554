import { integer, oneOf, readConfig } from '@prelude/platform'
import { resolve } from 'node:path'
import { readSettings, type Settings } from '../embedded/settings.ts'

const STACK = {
  dir: {
    env: 'STACK_DIR',
    means: 'folder of all data of the stack',
    parse: (value: string) => resolve(value),
    fallback: resolve('data-stack'),
  },
  instances: {
    env: 'STACK_INSTANCES',
    means: 'how many instances of each service run natively (gateways: two at least)',
    parse: integer(1, 8),
    fallback: 2,
  },
  shape: {
    env: 'STACK',
    means: 'containers, native, or auto: containers where this machine can run them, else native',
    parse: oneOf('containers', 'native', 'auto'),
    fallback: 'auto' as const,
  },
}

export type StackSettings = ReturnType<typeof readConfig<typeof STACK>> & { readonly product: Settings }

/** Settings of `make start`, but with a data folder of their own. Errors: ConfigError, one sentence. */
export function readStackSettings(env: Record<string, string | undefined>): StackSettings {
  const stack = readConfig(STACK, env)
  return { ...stack, product: readSettings({ ...env, DATA_DIR: stack.dir }) }
}
