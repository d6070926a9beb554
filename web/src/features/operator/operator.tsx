import { useState } from 'react'
import { messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import { LockButton } from './lock-button.tsx'
import styles from './operator.module.css'
import { ReadySongs } from './ready-songs.tsx'
import { UnlockForm } from './unlock-form.tsx'
import { UploadForm } from './upload-form.tsx'
import { useKeptUnlock } from './use-kept-unlock.ts'

/** The operator's panel: the unlock form, then the upload form and what was delivered. */
export default function Operator({ unlocked }: { unlocked: boolean }) {
  const { bar, operator, ops } = messages
  useKeptUnlock(unlocked)
  const [showsReady, setShowsReady] = useState(false)
  return (
    <section className={`stack gap-4 card ${styles.panel}`} aria-label={operator.title}>
      <div className="row split">
        <h2 className="title">{operator.title}</h2>
        {unlocked && (
          <div className="row">
            <Link to="/operator">{bar.desk}</Link>
            <Link to="/ops">{ops.title}</Link>
            <LockButton />
          </div>
        )}
      </div>
      {unlocked ? (
        <>
          <UploadForm />
          <details onToggle={(event) => setShowsReady(event.currentTarget.open)}>
            <summary>{operator.ready}</summary>
            {showsReady && <ReadySongs />}
          </details>
        </>
      ) : (
        <UnlockForm />
      )}
    </section>
  )
}
