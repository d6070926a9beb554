import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Outage, killed, silent } from '../outages.ts'
import { buyCredits, type Person, signIn } from '../../support/person.ts'
import { ask, balanceIs, type Drill, must, type Scene, someone, until } from '../scene.ts'
import { press } from '../../support/checkout-page.ts'

const ANSWER_WITHIN_MS = 5_000

/** Requests with and without a session during an outage of the session store. */
async function withoutSessions(scene: Scene, person: Person): Promise<void> {
  const landing = await ask(scene, null, 'GET', '/')
  must(landing.status === 200, `the landing page answers ${landing.status}`)
  for (const [method, path] of [
    ['GET', '/api/me'],
    ['GET', '/api/songs'],
    ['POST', '/api/songs'],
  ] as const) {
    const { status, ms } = await ask(scene, person, method, path, method === 'POST' ? { json: {} } : {})
    must(status === 503, `${method} ${path} answers ${status || 'nothing'} without sessions`)
    must(ms < ANSWER_WITHIN_MS, `${method} ${path} answers only after ${ms.toFixed(0)} ms`)
  }
}

/** Opens a checkout page before the outage; paying there sends a webhook. */
async function openCheckout(person: Person, amount: number): Promise<string> {
  const { body } = await person.post<{ url: string }>('/api/payments', { amount })
  return body.url
}

const drill = ({ how, start, end }: Outage): Drill => ({
  name: `Redis: ${how}`,
  run: async (scene) => {
    const person = await someone(scene)
    const checkout = await openCheckout(person, 50)
    await start(scene)
    await withoutSessions(scene, person)
    await press({ url: checkout }, 'pay')
    await delay(5_000)
    await withoutSessions(scene, person)
    await end(scene)
    const back = await until('the session works again', 5_000, async () => {
      const { status } = await ask(scene, person, 'GET', '/api/me')
      return status === 200 ? null : `it answers ${status}`
    })
    await balanceIs(scene, person, 50)
    scene.note(
      `503 and a working landing page; paid meanwhile; the same session ${back.toFixed(0)} ms after the end of the outage`,
    )
  },
})

const flushed: Drill = {
  name: 'Redis: flushed',
  run: async (scene) => {
    const email = 'flushed@example.test'
    const before = await signIn(scene.stack, { email, name: 'Ada Obi' })
    await buyCredits(before, 25)
    await balanceIs(scene, before, 25)
    const song = await before.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
    await flush(scene)
    const out = await ask(scene, before, 'GET', '/api/me')
    must(out.status === 401, `a forgotten session answers ${out.status}`)
    const after = await signIn(scene.stack, { email, name: 'Ada Obi' })
    must(after.uid === before.uid, 'it is another person')
    await balanceIs(scene, after, 15)
    const kept = await ask(scene, after, 'GET', `/api/songs/${song.body.id}`)
    must(kept.status === 200, `the song answers ${kept.status}`)
    scene.note('everybody signs in again; credits and songs are kept')
  },
}

async function flush({ stack }: Scene): Promise<void> {
  const { port } = new URL(stack.servers.kvUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('FLUSHALL\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  must(answer.toString().startsWith('+OK'), `Redis answers ${answer.toString()}`)
}

export const redis: readonly Drill[] = [flushed, drill(killed('redis')), drill(silent('redis'))]
