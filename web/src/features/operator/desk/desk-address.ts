import type { Stage } from '@prelude/contracts'
import { useLocation } from '../../../router.tsx'

const STAGES = ['todo', 'studio', 'changes', 'late', 'delivered'] as const satisfies readonly Stage[]

const PATH = '/operator'

/** The tab and the open song are in the address, so that both outlast a reload and can be linked to. */
export const deskAddress = (stage: Stage, songId: string | null): string =>
  `${PATH}?${new URLSearchParams({ tab: stage, ...(songId !== null && { song: songId }) })}`

export function useDeskAddress(): { stage: Stage; songId: string | null } {
  const query = new URLSearchParams(useLocation().search)
  return { stage: STAGES.find((stage) => stage === query.get('tab')) ?? 'todo', songId: query.get('song') }
}

/** Whether the operator still looks at this song. */
export const isOpen = (songId: string): boolean =>
  location.pathname === PATH && new URLSearchParams(location.search).get('song') === songId
