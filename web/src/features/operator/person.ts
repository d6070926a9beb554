import { useQuery } from '@tanstack/react-query'
import { markDirections } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import type { Page } from '../../api/pages.ts'
import { queryKeys } from '../../api/query-keys.ts'

export interface PersonRow {
  readonly uid: string
  readonly name: string | null
  readonly email: string
  readonly balance: number
  readonly debt: number
  readonly mailsRefused?: true
}

/** The name, else the address. */
export const nameOf = ({ name, email }: { name?: string | null; email: string | null }): string =>
  markDirections(name ?? email ?? '')

/** The person with this uid or address, as they are now; null when there is none. */
export const usePerson = (by: 'uid' | 'email', value: string) =>
  useQuery({
    queryKey: queryKeys.operator('person', by, value),
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ q: value })
      const { items } = await api.get<Page<PersonRow>>(`/api/operator/people?${query}`, { signal })
      return items.find((person) => person[by] === value) ?? null
    },
    // what follows depends on the balance at this moment
    staleTime: 0,
    gcTime: 0,
  })
