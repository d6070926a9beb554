import { setTimeout as delay } from 'node:timers/promises'
import { unlockedOperator } from '../../support/person.ts'
import { answers, ask, fulfil, makeReady, must, pay, people, someone, trySubmit } from '../calls.ts'
import { containersOf, crash, healthy, paused, stopped } from '../faults.ts'
import { type Alarm, lockTable, repeat } from './alarm.ts'

/** Services and servers that are down, slow or full. */

export const SERVERS: readonly Alarm[] = [
  {
    alerts: ['PreludeServiceDown', 'PreludePublicErrors'],
    how: 'songs is stopped while people look at their albums',
    provoke: async (scene) => {
      const { start, end } = stopped('songs')
      const person = await someone(scene)
      const stop = repeat(() => ask(scene, person, 'GET', '/api/songs'))
      await start(scene)
      await answers(scene, person, '/api/songs', 503)
      await answers(scene, person, '/api/credits')
      return async () => {
        await end(scene)
        await answers(scene, person, '/api/songs')
        stop()
      }
    },
  },
  {
    alerts: ['PreludeInstanceDown'],
    how: 'one of two gateways is frozen',
    provoke: async (scene) => {
      const [gateway = ''] = await containersOf(scene, 'gateway')
      await scene.docker('pause', gateway)
      return () => scene.docker('unpause', gateway)
    },
  },
  {
    alerts: ['PreludeRestartLoop'],
    how: 'an instance of credits exits again and again',
    provoke: async (scene) => {
      const [credits = ''] = await containersOf(scene, 'credits')
      for (let n = 0; n < 4; n++) {
        await crash(scene, credits)
        await healthy(scene, 'credits')
        await delay(6_000) // each start is seen by a scrape
      }
      return () => {}
    },
  },
  {
    alerts: ['PreludeEventLoopLate'],
    how: 'storage runs for a part of each second',
    provoke: async (scene) => {
      const [storage = ''] = await containersOf(scene, 'storage')
      let going = true
      const stalling = (async () => {
        while (going) {
          await scene.docker('pause', storage)
          await delay(700)
          await scene.docker('unpause', storage)
          await delay(100)
        }
      })()
      return () => {
        going = false
        return stalling
      }
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeEventsNotForwarded'],
    how: 'Kafka is stopped and somebody submits a song',
    provoke: async (scene) => {
      const { start, end } = stopped('kafka')
      const person = await someone(scene)
      await start(scene)
      must((await trySubmit(scene, person)).status === 201, 'the submit is refused')
      return () => end(scene)
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludePublicErrors', 'PreludeCallsFailing'],
    how: 'Redis is stopped while people look at their albums',
    provoke: async (scene) => {
      const { start, end } = stopped('redis')
      const person = await someone(scene)
      await start(scene)
      const stop = repeat(() => ask(scene, person, 'GET', '/api/songs'))
      return async () => {
        await end(scene)
        stop()
      }
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeMetricsUnreadable', 'PreludeJobFailing'],
    how: 'PostgreSQL is frozen',
    provoke: async (scene) => {
      const { start, end } = paused('postgres')
      await start(scene)
      return () => end(scene)
    },
  },
  {
    alerts: [
      'PreludePublicErrors',
      'PreludePublicSlow',
      'PreludeMetricsUnreadable',
      'PreludeErrorBudgetBurning',
    ],
    how: 'another database session holds a lock on the songs while people submit and look at their albums',
    provoke: async (scene) => {
      const both = await people(scene, 2)
      const release = await lockTable(scene, 'songs.song in access exclusive mode')
      const requests = both.flatMap((person) =>
        Array.from(
          { length: 20 },
          (_, n) => () =>
            n % 2 === 0 ? trySubmit(scene, person) : ask(scene, person, 'GET', `/api/songs?limit=${n}`),
        ),
      )
      const stop = repeat(...requests)
      return async () => {
        await release()
        stop()
      }
    },
  },
  {
    alerts: ['PreludeConnectionsExhausted'],
    how: 'another database session holds a lock on the payments while 24 people pay',
    provoke: async (scene) => {
      const payers = await people(scene, 24)
      const release = await lockTable(scene, 'payments.payment in access exclusive mode')
      const stop = repeat(...payers.map((person) => () => pay(scene, person)))
      return async () => {
        await release()
        stop()
      }
    },
  },
  {
    alerts: ['PreludeDiskLow'],
    how: 'the volume of uploads is full',
    provoke: async (scene) => {
      const [person, operator] = [await someone(scene), await unlockedOperator(scene)]
      const { body: song } = await trySubmit(scene, person)
      const inStorage = (command: string) => scene.compose('exec', '-T', 'storage', 'sh', '-c', command)
      await inStorage('dd if=/dev/zero of=/staging/large bs=64k || true')
      const { status } = await fulfil(scene, operator, song.id)
      must(status >= 500, `fulfilling on the full volume answers ${status}`)
      return async () => {
        await inStorage('rm /staging/large')
        await makeReady(scene, operator, song.id)
      }
    },
  },
]
