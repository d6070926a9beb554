import { type FormEvent, useState } from 'react'
import { call, errorMessage } from '../../api/client.ts'
import { setUnlocked } from '../../api/me.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { AdminPassword } from './admin-password.tsx'
import styles from './operator.module.css'

/** The form for the admin password, which unlocks the session. */
export function UnlockForm() {
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const unlock = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    try {
      await call('POST /api/operator/unlock', { body: { password } })
      toast.status(messages.unlocked)
      setUnlocked(true)
    } catch (error) {
      toast.alert(errorMessage(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={`${styles.form} ${styles.unlock}`} onSubmit={(event) => void unlock(event)}>
      <AdminPassword value={password} onChange={setPassword} />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.operator.unlock}
      </Button>
    </form>
  )
}
