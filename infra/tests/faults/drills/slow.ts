import { must, people } from '../calls.ts'
import { type Drill, settle } from '../scene.ts'
import { eachOnce, submits } from '../submits.ts'

const LATE_MS = 60
const WITH_TOXIPROXY = ['-f', 'docker-compose.yml', '-f', 'infra/tests/faults/slow.yml']
const DELAY = ['toxic', 'add', '--type', 'latency', '--attribute', `latency=${LATE_MS}`]

export const slow: Drill = {
  name: `slow: every answer of a server comes ${LATE_MS} ms later, and nothing is refused`,
  run: async (scene) => {
    const compose = (...args: string[]) => scene.compose(...WITH_TOXIPROXY, ...args)
    const cli = ['exec', '-T', 'toxiproxy', '/toxiproxy-cli']
    await compose('up', '--detach', '--wait')
    try {
      const singers = await people(scene, 2, 200)
      for (const server of ['postgres', 'kafka', 'redis', 's3']) await compose(...cli, ...DELAY, server)
      const load = submits(scene, singers, 40)
      await load.done
      await settle(scene)
      must(load.refused.length === 0, `submits were answered ${load.refused.join(', ')}`)
      await eachOnce(singers, load, 20)
    } finally {
      await scene.compose('up', '--detach', '--wait', '--remove-orphans')
    }
  },
}
