import { type FormEvent, useState } from 'react'
import { api, sentenceOf } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { Desk } from './desk.tsx'
import styles from './operator.module.css'
import { UploadForm } from './upload-form.tsx'

const rereadMe = () => queries.invalidateQueries({ queryKey: ['me'] })

/** The operator's panel: a password first, then the upload form and the desk. */
export default function Operator({ unlocked }: { unlocked: boolean }) {
  const lock = async (): Promise<void> => {
    try {
      await api.post('/api/operator/lock')
      queries.removeQueries({ queryKey: ['operator'] })
      await rereadMe()
    } catch (error) {
      toast.alert(sentenceOf(error))
    }
  }
  return (
    <section className={styles.panel} aria-label={messages.operator.title}>
      <div className={styles.head}>
        <h2>{messages.operator.title}</h2>
        {unlocked && (
          <Button small onClick={() => void lock()}>
            {messages.operator.lock}
          </Button>
        )}
      </div>
      {unlocked ? (
        <>
          <UploadForm />
          <Desk />
        </>
      ) : (
        <Gate />
      )}
    </section>
  )
}

function Gate() {
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
    <form className={styles.form} onSubmit={(event) => void unlock(event)}>
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
