import type { SessionView } from '@prelude/contracts'
import { refetchSessions, useSessions } from '../../api/account.ts'
import { call } from '../../api/client.ts'
import { useCommand } from '../../api/use-command.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { ago } from '../../text/time.ts'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { usePageTitle } from '../../state/title.ts'
import { toast } from '../../ui/toast.tsx'
import { Link } from '../../router.tsx'
import styles from './account.module.css'

/** Where the person is signed in, with a way to end each session. */
export default function Sessions({ signedIn }: { signedIn: boolean }) {
  if (!signedIn) return <SignInFirst title={messages.sessions.title} />
  return <Page />
}

function Page() {
  usePageTitle(messages.sessions.title)
  const sessions = useSessions()
  const everywhere = useEnding(() => call('POST /api/auth/logout-everywhere'), messages.sessions.othersEnded)
  return (
    <div className={`page narrow ${styles.page}`}>
      <section aria-labelledby="your-sessions">
        <h1 id="your-sessions" className="head title">
          {messages.sessions.title}
        </h1>
        <p>{messages.sessions.about}</p>
        {!sessions.data && <QueryState query={sessions} variant="inline" />}
        {sessions.data && (
          <ul className="rows" aria-label={messages.sessions.list}>
            {sessions.data.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </ul>
        )}
        <p id="everywhere-hint">{messages.sessions.everywhereHint}</p>
        <Button
          aria-describedby="everywhere-hint"
          busy={everywhere.busy}
          onClick={() => void everywhere.run()}
        >
          {messages.sessions.everywhere}
        </Button>
      </section>
      <Link to="/">{messages.goHome}</Link>
    </div>
  )
}

/** Ends sessions, then reads those that are left. */
const useEnding = (request: () => Promise<unknown>, done: string) =>
  useCommand(async () => {
    try {
      await request()
      toast.status(done)
    } finally {
      await refetchSessions()
    }
  }, toast.alert)

function SessionItem({ session }: { session: SessionView }) {
  const { id, browser, createdAt, lastSeenAt, current } = session
  const { busy, run } = useEnding(
    () => call('DELETE /api/sessions/:id', { params: { id } }),
    messages.sessions.ended,
  )
  const since = ago(createdAt)
  return (
    <li className="row split">
      <span>
        <strong>{browser}</strong>
        {current && ` · ${messages.sessions.current}`}
        <span className={styles.soft}>
          {messages.sessions.since(since)} · {messages.sessions.lastSeen(ago(lastSeenAt))}
        </span>
      </span>
      {/* this browser has Logout in the menu */}
      {!current && (
        <Button
          small
          busy={busy}
          aria-label={messages.sessions.end(browser, since)}
          onClick={() => void run()}
        >
          {messages.sessions.signOut}
        </Button>
      )}
    </li>
  )
}
