import { MAX_PAGE } from '@prelude/contracts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Page } from '../../api/pages.ts'

/** Debts by uid. There are few; all pages are fetched. */
export function useDebts(): { debts: ReadonlyMap<string, number>; isPending: boolean } {
  const { data, isPending } = useQuery({ queryKey: ['operator', 'debts', 'all'], queryFn: fetchDebts })
  return { debts: data ?? NONE, isPending }
}

const NONE: ReadonlyMap<string, number> = new Map()

async function fetchDebts(): Promise<ReadonlyMap<string, number>> {
  const debts = new Map<string, number>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<{ uid: string; debt: number }> = await api.get(
      `/api/operator/debts?limit=${MAX_PAGE}${cursor && `&cursor=${cursor}`}`,
    )
    for (const { uid, debt } of page.items) debts.set(uid, debt)
    cursor = page.nextCursor
  }
  return debts
}
