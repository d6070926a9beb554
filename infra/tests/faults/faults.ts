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
  end: ({ compose }) => compose(end, service),
})

export const stopped = (service: string): Outage => outage('stopped', service, 'stop', 'start')
export const killed = (service: string): Outage => outage('killed -9', service, 'kill', 'start')
/** Its connections stay open, and new ones are accepted by the kernel, but nothing is answered. */
export const paused = (service: string): Outage => outage('frozen', service, 'pause', 'unpause')

/** The ids of a service's containers. */
export const containersOf = async ({ compose }: Scene, service: string): Promise<string[]> =>
  (await compose('ps', '--all', '--quiet', service)).split('\n')

/** SIGKILL from outside of `docker kill`, after which an engine would start nothing again: the restart policy does. */
export async function crash({ docker }: Scene, container: string): Promise<void> {
  const pid = await docker('inspect', '--format', '{{.State.Pid}}', container)
  await docker('run', '--rm', '--pid=host', '--user=root', 'prelude', 'bash', '-c', `kill -9 ${pid}`)
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

export const healthy = ({ docker }: Scene, container: string): Promise<void> =>
  eventually(async () => {
    const state = await docker('inspect', '--format', '{{.State.Health.Status}}', container)
    must(state === 'healthy', `the container is ${state}`)
  })

/** Ends what a failed drill may have left. */
export async function restore({ docker, compose }: Scene): Promise<void> {
  const frozen = await compose('ps', '--quiet', '--status', 'paused')
  if (frozen !== '') await docker('unpause', ...frozen.split('\n'))
  await compose('up', '--detach', '--wait', '--no-recreate')
}
