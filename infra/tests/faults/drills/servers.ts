import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import { press } from '../../support/checkout-page.ts'
import { buyCredits, type Person, signIn, unlockedOperator } from '../../support/person.ts'
import { answers, ask, fulfil, makeReady, must, pay, people, someone } from '../calls.ts'
import { balanceIs } from '../../support/checkout.ts'
import { containersOf, disconnect, killed, type Outage, paused, stopped } from '../faults.ts'
import { type Drill, type Scene, settle, sql } from '../scene.ts'
import { eachOnce, submits } from '../submits.ts'

/** Outages of PostgreSQL, Kafka, Redis and the object store. */

const ANSWER_WITHIN_MS = 5_000
const AWAY_MS = 10_000
const SONGS = 20

/** Asks until the time is over; every answer is a 503 that comes soon. */
async function unavailable(
  scene: Scene,
  person: Person,
  requests: readonly string[],
  forMs: number,
): Promise<void> {
  for (const back = Date.now() + forMs; Date.now() < back;)
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ')
      const { status, ms } = await ask(scene, person, method, path, method === 'POST' ? { json: {} } : {})
      must(status === 503, `${request} answers ${status || 'nothing'}`)
      must(ms < ANSWER_WITHIN_MS, `${request} answers only after ${ms.toFixed(0)} ms`)
      await delay(200)
    }
}

/** Submits and a payment are accepted; their events are handled soon after. */
const withoutKafka = ({ how, start, end }: Outage, forMs: number): Drill => ({
  name: `${how} for ${forMs / 1000} s`,
  run: async (scene) => {
    const [singers, payer] = [await people(scene, 3, 100), await someone(scene)]
    await start(scene)
    const load = submits(scene, singers, SONGS, forMs)
    await buyCredits(payer, 500)
    await load.done
    must(load.refused.length === 0, `submits were answered ${load.refused.join(', ')}`)
    await scene.compose('exec', '-T', 'songs', 'healthy', '9000', '/readyz')
    await end(scene)
    await settle(scene)
    await eachOnce(singers, load, 10)
    await balanceIs(payer, 500)
  },
})

/** Submits before, during and after: 503 soon, success after the end, nothing lost, nothing twice. */
const withoutPostgres = ({ how, start, end }: Outage): Drill => ({
  name: `${how} for ${AWAY_MS / 1000} s`,
  run: async (scene) => {
    const singers = await people(scene, 2, 100)
    const [person] = singers as [Person]
    const load = submits(scene, singers, 2 * SONGS, 20_000)
    await eventually(() => must(load.accepted.size >= 10, 'the load has not begun'))
    await start(scene)
    await unavailable(scene, person, ['GET /api/songs'], AWAY_MS)
    await end(scene)
    await load.done
    await answers(scene, person, '/api/songs')
    await settle(scene)
    await eachOnce(singers, load, 10)
  },
})

/** The address of the session that forwards the events of songs, and so holds the lock of the forwarder. */
const FORWARDER = `select host(client_addr) from pg_stat_activity where application_name = 'prelude-songs'
  and pid in (select pid from pg_locks where locktype = 'advisory' and granted
    and objid::bigint = hashtext('forwarder of prelude.songs')::bigint & 4294967295)`

/**
 * A host vanishes: neither side of a connection is notified. PostgreSQL ends the sessions without a client after 25 s,
 * and the lock of the forwarder, which it held for one of them, becomes free for the other instance.
 */
const vanished: Drill = {
  name: 'songs: the instance that forwards events loses its network',
  run: async (scene) => {
    const singers = await people(scene, 2, 100)
    const before = await sql(scene, FORWARDER)
    const addresses = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
    const instances = await containersOf(scene, 'songs')
    const found = await scene.docker('inspect', '--format', addresses, ...instances)
    const lost = instances[found.split('\n').findIndex((line) => line.split(' ').includes(before))]
    must(lost !== undefined, `no instance has the address ${before}`)
    const connect = await disconnect(scene, lost, 'data')
    const load = submits(scene, singers, SONGS, 20_000)
    await eventually(async () => {
      const now = await sql(scene, FORWARDER)
      must(now !== '' && now !== before, 'the lock belongs to the lost connection')
    })
    await connect()
    await load.done
    await settle(scene)
    await eachOnce(singers, load, 10)
  },
}

/** Everything with a session is 503; the landing page and webhooks work. */
const withoutRedis = ({ how, start, end }: Outage): Drill => ({
  name: how,
  run: async (scene) => {
    const person = await someone(scene)
    const checkout = await pay(scene, person)
    await start(scene)
    const landing = await ask(scene, null, 'GET', '/')
    must(landing.status === 200, `the landing page answers ${landing.status}`)
    await press(checkout.body, 'pay') // which sends a webhook
    await unavailable(scene, person, ['GET /api/me', 'GET /api/songs', 'POST /api/songs'], AWAY_MS)
    await end(scene)
    await answers(scene, person, '/api/me') // the same session
    await balanceIs(person, 25)
  },
})

const FLUSH = 'redis-cli -a "$(sed -n "s/^requirepass //p" /run/secrets/redis.conf)" flushall'

const flushed: Drill = {
  name: 'redis flushed: everybody signs in again; credits and songs are kept',
  run: async (scene) => {
    const before = await someone(scene, 25)
    const { body: song } = await before.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
    must(
      (await scene.compose('exec', '-T', 'redis', 'sh', '-c', FLUSH)).includes('OK'),
      'Redis was not flushed',
    )
    await answers(scene, before, '/api/me', 401)
    const after = await signIn(scene, before)
    must(after.uid === before.uid, 'it is another person')
    await balanceIs(after, 15)
    await answers(scene, after, `/api/songs/${song.id}`)
  },
}

const FAILURE = 'Upload failed. Please try again.'

/** A failed upload leaves its song pending; another one succeeds, and the check finds nothing of the first in the store. */
const withoutStore = ({ how, start, end }: Outage): Drill => ({
  name: how,
  run: async (scene) => {
    const [person, operator] = [await someone(scene), await unlockedOperator(scene)]
    const { body: song } = await person.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
    await settle(scene)
    await start(scene)
    const { status, body } = await fulfil(scene, operator, song.id)
    must(status >= 500 && body.detail === FAILURE, `the upload answers ${status} ${body.detail}`)
    const pending = await ask<{ status: string }>(scene, person, 'GET', `/api/songs/${song.id}`)
    must(pending.body.status === 'pending', `the song is ${pending.body.status}`)
    await end(scene)
    await makeReady(scene, operator, song.id)
    await answers(scene, person, `/api/songs/${song.id}/versions/1`)
  },
})

export const servers: readonly Drill[] = [
  withoutKafka(killed('kafka'), 20_000),
  withoutKafka(paused('kafka'), 40_000),
  withoutPostgres(killed('postgres')),
  withoutPostgres(paused('postgres')),
  vanished,
  withoutRedis(killed('redis')),
  withoutRedis(paused('redis')),
  flushed,
  withoutStore(stopped('s3')),
  withoutStore(paused('s3')),
]
