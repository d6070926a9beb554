import type { ReactNode } from 'react'
import { Link, useLocation } from '../router.tsx'
import type { Me } from '@prelude/contracts'
import { useDebt } from '../api/credits.ts'
import { Album } from '../features/album/album.tsx'
import { NeedsYou } from '../features/album/needs-you.tsx'
import { RequestSong } from '../features/request-song/request-song.tsx'
import { messages } from '../messages.ts'
import { usePageTitle } from '../state/title.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import styles from './home.module.css'

/** `panel` is the operator's. */
export default function Home({ me, panel }: { me: Me; panel: ReactNode }) {
  usePageTitle(messages.home.title)
  const filled = (useLocation().state as { filled?: string } | null)?.filled
  return (
    <>
      <MailNotice me={me} />
      <DebtNotice />
      <div className={`${styles.home} ${panel ? styles.withOperator : ''}`}>
        <h1 className="visually-hidden">{messages.home.title}</h1>
        <div className={styles.form}>
          <RequestSong key={filled} uid={me.uid} filled={filled !== undefined} />
        </div>
        {panel && (
          <div className={styles.panel}>
            <ErrorBoundary>{panel}</ErrorBoundary>
          </div>
        )}
        <div>
          <NeedsYou />
          <Album uid={me.uid} />
        </div>
      </div>
    </>
  )
}

const MailNotice = ({ me }: { me: Me }) => (
  <p role="status" className={styles.notice}>
    {me.mailsRefused && messages.mailsRefused(me.email)}
  </p>
)

function DebtNotice() {
  const debt = useDebt()
  return (
    <p role="status" className={styles.notice}>
      {debt > 0 && (
        <>
          {messages.owed(debt)} <Link to="/statement">{messages.bar.statement}</Link>
        </>
      )}
    </p>
  )
}
