import { messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import { LockButton } from './lock-button.tsx'
import { OperatorTabs } from './operator-tabs.tsx'
import styles from './operator.module.css'
import { UnlockForm } from './unlock-form.tsx'
import { UploadForm } from './upload-form.tsx'
import { useKeptUnlock } from './use-kept-unlock.ts'

/** The operator's panel: the unlock form, then the upload form and the lists. */
export default function Operator({ unlocked }: { unlocked: boolean }) {
  useKeptUnlock(unlocked)
  return (
    <section className={styles.panel} aria-label={messages.operator.title}>
      <div className={styles.head}>
        <h2>{messages.operator.title}</h2>
        {unlocked && (
          <div className={styles.row}>
            <Link to="/operator">{messages.operator.desk}</Link>
            <Link to="/ops">{messages.operator.ops}</Link>
            <LockButton />
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
