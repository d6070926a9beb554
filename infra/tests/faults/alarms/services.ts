import { setTimeout as delay } from 'node:timers/promises'
import { ask, instancesOf, type Scene, someone, until } from '../scene.ts'
import { described, repeat } from './acts.ts'
import type { Alarm } from './alarm.ts'

const UP_WITHIN_MS = 60_000

const program = (scene: Scene, service: string, n = 0) => instancesOf(scene, service)[n]!.program

const isUp = (scene: Scene, service: string): Promise<number> =>
  until(`${service} is up`, UP_WITHIN_MS, async () => {
    const answer = await fetch(`${instancesOf(scene, service)[0]?.address}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    return answer?.ok ? null : `it answers ${answer?.status ?? 'nothing'}`
  })

const answerOf = async (scene: Scene, path: string): Promise<string> => {
  const person = await someone(scene)
  const answer = await ask(scene, person, 'GET', path)
  return `GET ${path}: ${described(answer)}`
}

export const SERVICES: readonly Alarm[] = [
  {
    alerts: ['PreludeServiceDown', 'PreludeInstanceDown', 'PreludePublicErrors'],
    how: 'the only instance of songs is stopped while people look at their albums',
    provoke: async (scene) => {
      const person = await someone(scene)
      stopLooking = repeat(() => ask(scene, person, 'GET', '/api/songs'))
      await program(scene, 'songs').stop()
      scene.note(await answerOf(scene, '/api/songs'))
      scene.note(await answerOf(scene, '/api/credits'))
    },
    repair: async (scene) => {
      await program(scene, 'songs').start()
      await isUp(scene, 'songs')
      stopLooking()
    },
  },
  {
    alerts: ['PreludeInstanceDown'],
    how: 'one of two gateways is killed and stays down',
    provoke: async (scene) => {
      await program(scene, 'gateway', 1).kill()
      scene.note(await answerOf(scene, '/api/songs'))
    },
    repair: (scene) => program(scene, 'gateway', 1).start(),
  },
  {
    alerts: ['PreludeRestartLoop'],
    how: 'credits exits again and again',
    provoke: async (scene) => {
      for (let n = 0; n < 4; n++) {
        program(scene, 'credits').crash()
        await delay(1_500)
        await isUp(scene, 'credits')
        await delay(6_000) // each start is seen by a scrape
      }
    },
    repair: () => {},
  },
  {
    alerts: ['PreludeEventLoopLate'],
    how: 'storage runs for a tenth of each second',
    provoke: (scene) => {
      const storage = program(scene, 'storage')
      stalling = setInterval(() => {
        storage.freeze()
        setTimeout(() => storage.thaw(), 900)
      }, 1_000)
    },
    repair: (scene) => {
      clearInterval(stalling)
      program(scene, 'storage').thaw()
    },
  },
]
let stopLooking = (): void => {}
let stalling: NodeJS.Timeout | undefined
