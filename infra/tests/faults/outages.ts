import type { ServerName } from '../../stack/servers.ts'
import type { StandInName } from '../../stack/stack.ts'
import type { Scene } from './scene.ts'

/** An outage of a server or a stand-in, and its end. */
export interface Outage {
  readonly how: string
  start(scene: Scene): Promise<void> | void
  end(scene: Scene): Promise<void> | void
}

export const stopped = (server: ServerName): Outage => ({
  how: 'stopped',
  start: ({ stack }) => stack.servers.programs[server].stop(),
  end: ({ stack }) => stack.servers.programs[server].start(),
})

export const killed = (server: ServerName): Outage => ({
  how: 'killed -9',
  start: ({ stack }) => stack.servers.programs[server].kill(),
  end: ({ stack }) => stack.servers.programs[server].start(),
})

type Linked = ServerName | StandInName

export const refusing = (target: Linked): Outage => ({
  how: 'refusing connections',
  start: ({ stack }) => stack.links[target]?.cut(),
  end: ({ stack }) => stack.links[target]?.heal(),
})

export const silent = (target: Linked): Outage => ({
  how: 'the network drops all packets',
  start: ({ stack }) => stack.links[target]?.swallow(),
  end: ({ stack }) => stack.links[target]?.heal(),
})
