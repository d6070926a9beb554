import { type FormEvent, useState } from 'react'
import { api, sentenceOf } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './operator.module.css'

export const rereadMe = () => queries.invalidateQueries({ queryKey: ['me'] })

/** The admin password, once for a session. */
export function Gate() {
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const unlock = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    try {
      await api.post('/api/operator/unlock', { password })
      toast.status(messages.unlocked)
      await rereadMe()
    } catch (error) {
      toast.alert(sentenceOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={`${styles.form} ${styles.gate}`} onSubmit={(event) => void unlock(event)}>
      <TextField
        label={messages.operator.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.operator.unlock}
      </Button>
    </form>
  )
}
