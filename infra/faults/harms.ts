import type { ServerName } from '../stack/servers.ts'
import type { StandInName } from '../stack/stack.ts'
import type { Scene } from './scene.ts'

/** A way in which something that the product needs goes away and comes back. */
export interface Harm {
  readonly how: string
  take(scene: Scene): Promise<void> | void
  giveBack(scene: Scene): Promise<void> | void
}

export const stopped = (server: ServerName): Harm => ({
  how: 'stopped',
  take: ({ stack }) => stack.servers.programs[server].stop(),
  giveBack: ({ stack }) => stack.servers.programs[server].start(),
})

export const killed = (server: ServerName): Harm => ({
  how: 'killed -9',
  take: ({ stack }) => stack.servers.programs[server].kill(),
  giveBack: ({ stack }) => stack.servers.programs[server].start(),
})

type Linked = ServerName | StandInName

export const refusing = (place: Linked): Harm => ({
  how: 'refusing connections',
  take: ({ stack }) => stack.links[place]?.cut(),
  giveBack: ({ stack }) => stack.links[place]?.heal(),
})

export const silent = (place: Linked): Harm => ({
  how: 'behind a network that drops everything',
  take: ({ stack }) => stack.links[place]?.swallow(),
  giveBack: ({ stack }) => stack.links[place]?.heal(),
})
