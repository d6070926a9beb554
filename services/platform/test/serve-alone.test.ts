import { expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { onOff, text } from '../src/host/config.ts'
import { serveAlone } from '../src/host/serve-alone.ts'
import { publicKeysFrom, secretOf } from '../src/identity.ts'

const MASTER = 'a master secret of this test'
const NOWHERE = 'postgres://prelude_songs:p@127.0.0.1:1/x'
const GIVEN = {
  DATABASE_URL: NOWHERE,
  BUS_URL: NOWHERE,
  INTERNAL_PORT: '1',
  INTERNAL_SECRET: secretOf('songs', MASTER),
  INTERNAL_PUBLIC_KEYS: publicKeysFrom(MASTER),
}
const settings = {
  publicUrl: { env: 'PUBLIC_URL', means: 'where people are', parse: text },
  rateLimits: { env: 'RATE_LIMITS', means: 'on or off', parse: onOff.parse },
}

/** What a service that refuses to start prints. */
async function refusal(env: Record<string, string>): Promise<string> {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  try {
    const make = (): never => {
      throw new Error('it started')
    }
    const program = { service: 'songs', settings, calls: [] } as const
    await serveAlone({ program, env: { ...GIVEN, ...env }, clock: systemClock, make })
    expect(exit).toHaveBeenCalledWith(1)
    return printed.mock.calls.map(([line]) => String(line)).join('')
  } finally {
    printed.mockRestore()
    exit.mockRestore()
  }
}

test('a service alone refuses settings that are missing, and names them all in one line', async () => {
  expect(await refusal({ DATABASE_URL: '', INTERNAL_SECRET: '' })).toMatch(
    /^[^\n]*DATABASE_URL is missing[^\n]*INTERNAL_SECRET is missing[^\n]*\n$/,
  )
})

test('settings that contradict each other are refused by a service alone', async () => {
  const given = { PUBLIC_URL: 'https://songs.example', RATE_LIMITS: 'off', TLS_CERT: 'x' }
  expect(await refusal(given)).toBe(
    'Bad settings: RATE_LIMITS=off is refused unless PUBLIC_URL is on this machine; TLS_CERT and TLS_KEY go together.\n',
  )
})
