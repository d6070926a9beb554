import { useState } from 'react'
import { api, errorMessage } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { refetchMe } from './unlock-form.tsx'

/** Locks the operator's session again. */
export function LockButton() {
  const [busy, setBusy] = useState(false)
  const lock = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await api.post('/api/operator/lock')
      await refetchMe()
      // after refetchMe: mounted components would refetch, and be rejected
      queryClient.removeQueries({ queryKey: queryKeys.operator() })
    } catch (error) {
      toast.alert(errorMessage(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button small busy={busy} onClick={() => void lock()}>
      {messages.operator.lock}
    </Button>
  )
}
