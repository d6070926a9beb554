import type { Me } from '@prelude/contracts'
import { queryClient } from '../../api/query-client.ts'
import { queryKeys } from '../../api/query-keys.ts'

export const refetchMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey: queryKeys.me })

/** What the server has just answered is shown at once: during an outage it is asked again without end who is signed in. */
export function setUnlocked(unlocked: boolean): void {
  queryClient.setQueryData<Me | null>(
    queryKeys.me,
    (me) => me && { ...me, operator: { ...me.operator, unlocked } },
  )
  if (!unlocked) queryClient.removeQueries({ queryKey: queryKeys.operator() })
  void refetchMe()
}
