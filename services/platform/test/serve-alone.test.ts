import { expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { text } from '../src/host/config.ts'
import { type Program, serveAlone } from '../src/host/serve-alone.ts'
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
  publicUrl: { env: 'PUBLIC_URL', means: 'where people are', parse: text, fallback: '' },
}

/** What a service that refuses to start prints. */
async function refusal(env: Record<string, string>): Promise<string> {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  try {
    const make = (): never => {
      throw new Error('it started')
    }
    const contradictions = ({ publicUrl }: { publicUrl: string }) => [`PUBLIC_URL is ${publicUrl}`]
    const program: Program<typeof settings> = { service: 'songs', settings, contradictions, calls: [] }
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
  const given = { PUBLIC_URL: 'elsewhere', TLS_CERT: 'x' }
  expect(await refusal(given)).toBe(
    'Bad settings: PUBLIC_URL is elsewhere; TLS_CERT and TLS_KEY go together.\n',
  )
})
