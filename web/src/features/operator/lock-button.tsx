import { useState } from 'react'
import { api, errorMessage } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { setUnlocked } from './unlocked.ts'

/** Locks the operator's session again. */
export function LockButton() {
  const [busy, setBusy] = useState(false)
  const lock = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await api.post('/api/operator/lock')
      setUnlocked(false)
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
