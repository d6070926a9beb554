import { useState } from 'react'
import { call, errorMessage } from '../../api/client.ts'
import { setUnlocked } from '../../api/me.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'

/** Locks the operator's session again. */
export function LockButton() {
  const [busy, setBusy] = useState(false)
  const lock = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await call('POST /api/operator/lock')
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
