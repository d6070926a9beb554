import { useState } from 'react'
import { Link } from 'react-router'
import { api, sentenceOf } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { Desk } from './desk.tsx'
import { Gate, rereadMe } from './gate.tsx'
import styles from './operator.module.css'
import { UploadForm } from './upload-form.tsx'

/** The operator's panel: a password first, then the upload form and the desk. */
export default function Operator({ unlocked }: { unlocked: boolean }) {
  const [busy, setBusy] = useState(false)
  const lock = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await api.post('/api/operator/lock')
      await rereadMe()
      // only now: what is still on screen would ask for it again, and be refused
      queries.removeQueries({ queryKey: ['operator'] })
    } catch (error) {
      toast.alert(sentenceOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={styles.panel} aria-label={messages.operator.title}>
      <div className={styles.head}>
        <h2>{messages.operator.title}</h2>
        {unlocked && (
          <div className={styles.row}>
            <Link to="/ops">{messages.ops.title}</Link>
            <Button small busy={busy} onClick={() => void lock()}>
              {messages.operator.lock}
            </Button>
          </div>
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
