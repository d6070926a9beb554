import type { Stage } from '@prelude/contracts'
import { useLocation } from '../../../router.tsx'

const STAGES = ['todo', 'studio', 'changes', 'late', 'delivered'] as const satisfies readonly Stage[]

const PATH = '/operator'

interface Shown {
  readonly stage: Stage
  readonly songId: string | null
  /** The phrase that is searched for, or empty. */
  readonly q: string
}

/** The tab, the search and the open song are in the address, so that they outlast a reload and can be linked to. */
export const deskAddress = ({ stage, songId, q }: Shown): string =>
  `${PATH}?${new URLSearchParams({ tab: stage, ...(songId !== null && { song: songId }), ...(q !== '' && { q }) })}`

export function useDeskAddress(): Shown {
  const query = new URLSearchParams(useLocation().search)
  return {
    stage: STAGES.find((stage) => stage === query.get('tab')) ?? 'todo',
    songId: query.get('song'),
    q: query.get('q') ?? '',
  }
}

/** Whether the operator still looks at this song. */
export const isOpen = (songId: string): boolean =>
  location.pathname === PATH && new URLSearchParams(location.search).get('song') === songId
