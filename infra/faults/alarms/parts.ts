import { setTimeout as delay } from 'node:timers/promises'
import { ask, instancesOf, someone, until } from '../scene.ts'
import { described, repeat } from './acts.ts'
import type { Alarm, Witness } from './alarm.ts'

const UP_WITHIN_MS = 60_000

const program = (witness: Witness, part: string, n = 0) => instancesOf(witness, part)[n]!.program

const isUp = (witness: Witness, part: string): Promise<number> =>
  until(`${part} is up`, UP_WITHIN_MS, async () => {
    const answer = await fetch(`${instancesOf(witness, part)[0]?.address}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    return answer?.ok ? null : `it says ${answer?.status ?? 'nothing'}`
  })

const said = async (witness: Witness, path: string): Promise<string> => {
  const person = await someone(witness)
  const answer = await ask(witness, person, 'GET', path)
  return `GET ${path}: ${described(answer)}`
}

export const PARTS: readonly Alarm[] = [
  {
    alerts: ['PreludeServiceDown', 'PreludeInstanceDown', 'PreludePublicErrors'],
    how: 'the only instance of songs is stopped while people look at their albums',
    provoke: async (witness) => {
      const person = await someone(witness)
      stopLooking = repeat(() => ask(witness, person, 'GET', '/api/songs'))
      await program(witness, 'songs').stop()
      witness.note(await said(witness, '/api/songs'))
      witness.note(await said(witness, '/api/credits'))
    },
    repair: async (witness) => {
      await program(witness, 'songs').start()
      await isUp(witness, 'songs')
      stopLooking()
    },
  },
  {
    alerts: ['PreludeInstanceDown'],
    how: 'one of two gateways is killed and stays down',
    provoke: async (witness) => {
      await program(witness, 'gateway', 1).kill()
      witness.note(await said(witness, '/api/songs'))
    },
    repair: (witness) => program(witness, 'gateway', 1).start(),
  },
  {
    alerts: ['PreludeRestartLoop'],
    how: 'credits ends again and again',
    provoke: async (witness) => {
      for (let n = 0; n < 4; n++) {
        program(witness, 'credits').crash()
        await delay(1_500)
        await isUp(witness, 'credits')
        await delay(6_000) // each start is seen by a scrape
      }
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeEventLoopLate'],
    how: 'storage gets its processor for a tenth of each second',
    provoke: (witness) => {
      const storage = program(witness, 'storage')
      stalling = setInterval(() => {
        storage.freeze()
        setTimeout(() => storage.thaw(), 900)
      }, 1_000)
    },
    repair: (witness) => {
      clearInterval(stalling)
      program(witness, 'storage').thaw()
    },
  },
]
let stopLooking = (): void => {}
let stalling: NodeJS.Timeout | undefined
