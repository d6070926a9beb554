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
    means: 'how many of each part run natively (of gateways two at least, of storage one)',
    parse: integer(1, 8),
    fallback: 2,
  },
  shape: {
    env: 'STACK',
    means: 'containers, native, or the first of these that this machine can',
    parse: oneOf('containers', 'native', 'auto'),
    fallback: 'auto' as const,
  },
}

export type StackSettings = ReturnType<typeof readConfig<typeof STACK>> & { readonly product: Settings }

/** As for `make start`, but with a data folder of its own. Errors: ConfigError, one sentence. */
export function readStackSettings(env: Record<string, string | undefined>): StackSettings {
  const stack = readConfig(STACK, env)
  return { ...stack, product: readSettings({ ...env, DATA_DIR: stack.dir }) }
}
