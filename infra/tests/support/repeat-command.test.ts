import { expect, onTestFinished, test, vi } from 'vitest'
import { repeatCommand } from './repeat-command.ts'

test('the command that repeats a failure of make soak lasts as long as the run that failed', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const file = 'infra/tests/soak/money.test.ts'
  vi.stubEnv('SOAK_MINUTES', '10')
  expect(repeatCommand(7, 'vitest.config.ts', file)).toBe(`SEED=7 SOAK_MINUTES=10 npx vitest run ${file}`)
  vi.stubEnv('SOAK_MINUTES', undefined)
  expect(repeatCommand(7, 'one/vitest.config.ts', 'a.test.ts')).toBe(
    'SEED=7 npx vitest run --config one/vitest.config.ts a.test.ts',
  )
})
