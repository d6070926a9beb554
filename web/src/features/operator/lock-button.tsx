import { call } from '../../api/client.ts'
import { setUnlocked } from '../../api/me.ts'
import { useCommand } from '../../api/use-command.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'

/** Locks the operator's session again. */
export function LockButton() {
  const { busy, run } = useCommand(async () => {
    await call('POST /api/operator/lock')
    setUnlocked(false)
  }, toast.alert)
  return (
    <Button small busy={busy} onClick={() => void run()}>
      {messages.operator.lock}
    </Button>
  )
}
