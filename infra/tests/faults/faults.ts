import { eventually } from '@prelude/platform/eventually'
import { must } from './calls.ts'
import type { Scene } from './scene.ts'

/** An outage of all containers of a compose service, and its end. */
export interface Outage {
  readonly how: string
  start(scene: Scene): Promise<unknown>
  end(scene: Scene): Promise<unknown>
}

const outage = (how: string, service: string, start: string, end: string): Outage => ({
  how: `${service} ${how}`,
  start: ({ compose }) => compose(start, service),
  end: async (scene) => {
    await scene.compose(end, service)
    await healthy(scene, service)
  },
})

export const stopped = (service: string): Outage => outage('stopped', service, 'stop', 'start')
export const killed = (service: string): Outage => outage('killed -9', service, 'kill', 'start')
/** Its connections stay open, and new ones are accepted by the kernel, but nothing is answered. */
export const paused = (service: string): Outage => outage('frozen', service, 'pause', 'unpause')

/** The ids of a service's containers. */
export const containersOf = async ({ compose }: Scene, service: string): Promise<string[]> =>
  (await compose('ps', '--all', '--quiet', service)).split('\n')

/** SIGKILL from outside of `docker kill`, after which an engine starts nothing again; waits until the restart policy did. */
export async function crash({ docker }: Scene, container: string): Promise<void> {
  const pidOf = () => docker('inspect', '--format', '{{.State.Pid}}', container)
  const pid = await pidOf()
  await docker('run', '--rm', '--pid=host', '--user=root', 'prelude', 'bash', '-c', `kill -9 ${pid}`)
  await eventually(async () =>
    must(!['0', pid].includes(await pidOf()), 'the container is not started again'),
  )
}

/** Takes the container off a network: its open connections are silent from now on, and neither side is notified. */
export async function disconnect(
  scene: Scene,
  container: string,
  network: string,
): Promise<() => Promise<unknown>> {
  const { docker } = scene
  const label = (name: string) =>
    docker('inspect', '--format', `{{index .Config.Labels "com.docker.compose.${name}"}}`, container)
  const [project, service] = [await label('project'), await label('service')]
  await docker('network', 'disconnect', `${project}_${network}`, container)
  return () => docker('network', 'connect', '--alias', service, `${project}_${network}`, container)
}

/** Waits until all containers of the service are healthy. */
export const healthy = ({ compose }: Scene, service: string): Promise<string> =>
  eventually(() => compose('up', '--detach', '--wait', '--no-deps', '--no-recreate', service))

/** Ends what a failed drill may have left. */
export async function restore({ docker, compose }: Scene): Promise<void> {
  const frozen = await compose('ps', '--quiet', '--status', 'paused')
  if (frozen !== '') await docker('unpause', ...frozen.split('\n'))
  await compose('up', '--detach', '--wait', '--no-recreate')
}
