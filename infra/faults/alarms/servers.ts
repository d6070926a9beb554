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
    provoke: async (witness) => {
      const person = await someone(witness)
      await witness.stack.servers.programs.kafka.stop()
      witness.note(`a submit: ${described(await trySubmit(witness, person))}`)
    },
    repair: ({ stack }) => stack.servers.programs.kafka.start(),
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludePublicErrors', 'PreludeCallsFailing'],
    how: 'Redis refuses connections',
    provoke: async (witness) => {
      const person = await someone(witness)
      await witness.stack.links.redis?.cut()
      witness.note(`the album: ${described(await ask(witness, person, 'GET', '/api/songs'))}`)
      witness.note(`the landing page: ${described(await ask(witness, null, 'GET', '/'))}`)
      stop = repeat(() => ask(witness, person, 'GET', '/api/songs'))
    },
    repair: async ({ stack }) => {
      await stack.links.redis?.heal()
      stop()
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeMetricsUnreadable', 'PreludeJobFailing'],
    how: 'PostgreSQL is behind a network that drops everything',
    provoke: async (witness) => {
      const person = await someone(witness)
      witness.stack.links.postgres?.swallow()
      witness.note(`the album: ${described(await ask(witness, person, 'GET', '/api/songs'))}`)
    },
    repair: ({ stack }) => stack.links.postgres?.heal(),
  },
  {
    alerts: ['PreludePublicSlow'],
    how: 'PostgreSQL answers each time 400 ms late',
    provoke: async (witness) => {
      const person = await someone(witness)
      witness.stack.links.postgres?.slow(400)
      witness.note(`the album: ${described(await ask(witness, person, 'GET', '/api/songs'))}`)
      stop = repeat(() => ask(witness, person, 'GET', '/api/songs'))
    },
    repair: ({ stack }) => {
      stack.links.postgres?.slow(0)
      stop()
    },
  },
  {
    alerts: ['PreludePublicErrors', 'PreludePublicSlow', 'PreludeMetricsUnreadable'],
    how: 'a session of somebody else holds a lock on the songs while people submit and look at their albums',
    provoke: async (witness) => {
      const people = await Promise.all([someone(witness), someone(witness)])
      release = await lockTable(witness, 'songs.song in access exclusive mode')
      const stops = people.flatMap((person) =>
        Array.from({ length: 20 }, (_, n) =>
          repeat(() =>
            n % 2 === 0 ? trySubmit(witness, person) : ask(witness, person, 'GET', `/api/songs?limit=${n}`),
          ),
        ),
      )
      stop = () => stops.forEach((one) => one())
      witness.note(`a submit: ${described(await trySubmit(witness, people[0]))}`)
    },
    repair: () => {
      release()
      stop()
    },
  },
  {
    alerts: ['PreludeDependencyDown', 'PreludeCallsFailing'],
    how: 'the S3 store is stopped and the operator fulfils a song',
    provoke: async (witness) => {
      const [person, operator] = [await someone(witness, 30), await unlockedOperator(witness)]
      const { body } = await trySubmit(witness, person)
      await delay(3_000)
      await witness.stack.servers.programs.s3.stop()
      const failed = await fulfil(witness, operator, body.id)
      must(failed.status >= 500, `it answers ${failed.status}`)
      witness.note(`fulfilling: ${described(failed)}, "${failed.body.detail}"`)
      stop = repeat(() => fulfil(witness, operator, body.id))
    },
    repair: async ({ stack }) => {
      stop()
      await stack.servers.programs.s3.start()
    },
  },
]
let release = (): void => {}
