import { useState } from 'react'
import { api, errorMessage } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { Link } from '../../router.tsx'
import { OperatorTabs } from './operator-tabs.tsx'
import { UnlockForm, refetchMe } from './unlock-form.tsx'
import styles from './operator.module.css'
import { UploadForm } from './upload-form.tsx'

/** The operator's panel: the unlock form, then the upload form and the lists. */
export default function Operator({ unlocked }: { unlocked: boolean }) {
  const [busy, setBusy] = useState(false)
  const lock = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await api.post('/api/operator/lock')
      await refetchMe()
      // after refetchMe: mounted components would refetch, and be rejected
      queryClient.removeQueries({ queryKey: ['operator'] })
    } catch (error) {
      toast.alert(errorMessage(error))
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
          <OperatorTabs />
        </>
      ) : (
        <UnlockForm />
      )}
    </section>
  )
}
