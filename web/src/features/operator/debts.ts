import { useQuery } from '@tanstack/react-query'
import { fetchAllPages } from '../../api/all-pages.ts'
import { queryKeys } from '../../api/query-keys.ts'

/** Debts by uid. There are few; all pages are fetched. */
export function useDebts(): { debts: ReadonlyMap<string, number>; isPending: boolean } {
  const { data } = useQuery({ queryKey: queryKeys.operator('debts', 'all'), queryFn: fetchDebts })
  return { debts: data ?? NONE, isPending: data === undefined }
}

const NONE: ReadonlyMap<string, number> = new Map()

async function fetchDebts({ signal }: { signal: AbortSignal }): Promise<ReadonlyMap<string, number>> {
  const debts = await fetchAllPages<{ uid: string; debt: number }>('/api/operator/debts?', signal)
  return new Map(debts.map(({ uid, debt }) => [uid, debt]))
}
