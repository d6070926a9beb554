import { setTimeout as delay } from 'node:timers/promises'
import { fulfil } from '../fulfil.ts'
import { ask, must, someone, unlockedOperator } from '../scene.ts'
import { described, lockTable, repeat, trySubmit } from './acts.ts'
import type { Alarm } from './alarm.ts'

let stop = (): void => {}

export const SERVERS: readonly Alarm[] = [
  {
    alerts: ['PreludeDependencyDown', 'PreludeEventsNotForwarded'],
    how: 'Kafka is stopped and somebody submits a song',
    provoke: async (scene) => {
      const person = await someone(scene)
      await scene.stack.servers.programs.kafka.stop()
      scene.note(`a submit: ${described(await trySubmit(scene, person))}`)
    },
    repair: ({ stack }) => stack.servers.programs.kafka.start(),
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludePublicErrors', 'PreludeCallsFailing'],
    how: 'Redis refuses connections',
    provoke: async (scene) => {
      const person = await someone(scene)
      await scene.stack.links.redis?.cut()
      scene.note(`the album: ${described(await ask(scene, person, 'GET', '/api/songs'))}`)
      scene.note(`the landing page: ${described(await ask(scene, null, 'GET', '/'))}`)
      stop = repeat(() => ask(scene, person, 'GET', '/api/songs'))
    },
    repair: async ({ stack }) => {
      await stack.links.redis?.heal()
      stop()
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeMetricsUnreadable', 'PreludeJobFailing'],
    how: 'the network drops all packets to PostgreSQL',
    provoke: async (scene) => {
      const person = await someone(scene)
      scene.stack.links.postgres?.swallow()
      scene.note(`the album: ${described(await ask(scene, person, 'GET', '/api/songs'))}`)
    },
    repair: ({ stack }) => stack.links.postgres?.heal(),
  },
  {
    alerts: ['PreludePublicSlow'],
    how: 'PostgreSQL answers 700 ms late',
    provoke: async (scene) => {
      const person = await someone(scene)
      scene.stack.links.postgres?.slow(700)
      scene.note(`the album: ${described(await ask(scene, person, 'GET', '/api/songs'))}`)
      stop = repeat(() => ask(scene, person, 'GET', '/api/songs'))
    },
    repair: ({ stack }) => {
      stack.links.postgres?.slow(0)
      stop()
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
      const people = await Promise.all([someone(scene), someone(scene)])
      release = await lockTable(scene, 'songs.song in access exclusive mode')
      const stops = people.flatMap((person) =>
        Array.from({ length: 20 }, (_, n) =>
          repeat(() =>
            n % 2 === 0 ? trySubmit(scene, person) : ask(scene, person, 'GET', `/api/songs?limit=${n}`),
          ),
        ),
      )
      stop = () => stops.forEach((one) => one())
      scene.note(`a submit: ${described(await trySubmit(scene, people[0]))}`)
    },
    repair: () => {
      release()
      stop()
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeCallsFailing'],
    how: 'the S3 store is stopped and the operator fulfils a song',
    provoke: async (scene) => {
      const [person, operator] = [await someone(scene, 30), await unlockedOperator(scene)]
      const { body } = await trySubmit(scene, person)
      await delay(3_000)
      await scene.stack.servers.programs.s3.stop()
      const failed = await fulfil(scene, operator, body.id)
      must(failed.status >= 500, `it answers ${failed.status}`)
      scene.note(`fulfilling: ${described(failed)}, "${failed.body.detail}"`)
      stop = repeat(() => fulfil(scene, operator, body.id))
    },
    repair: async ({ stack }) => {
      stop()
      await stack.servers.programs.s3.start()
    },
  },
]
let release = (): void => {}
