import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { setUnlocked } from '../../api/me.ts'
import { useCommand } from '../../api/use-command.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { AdminPassword } from './admin-password.tsx'
import styles from './operator.module.css'

/** The form for the admin password, which unlocks the session. */
export function UnlockForm() {
  const [password, setPassword] = useState('')
  const { busy, error, run } = useCommand(async () => {
    await call('POST /api/operator/unlock', { body: { password } })
    toast.status(messages.unlocked, { operation: 'unlock' })
    setUnlocked(true)
  })
  const unlock = (event: FormEvent): void => {
    event.preventDefault()
    void run()
  }
  return (
    <form className={`stack gap-4 ${styles.unlock}`} onSubmit={unlock}>
      <AdminPassword value={password} onChange={setPassword} />
      {error && <FormError key={error.at} text={error.text} />}
      <Button type="submit" variant="primary" busy={busy}>
        {messages.operator.unlock}
      </Button>
    </form>
  )
}
