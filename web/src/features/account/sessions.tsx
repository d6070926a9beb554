import { useState } from 'react'
import type { SessionView } from '@prelude/contracts'
import { refetchSessions, useSessions } from '../../api/account.ts'
import { call, errorMessage } from '../../api/client.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { ago } from '../../text/time.ts'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { usePageTitle } from '../../ui/title.ts'
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
  const [busy, setBusy] = useState<readonly string[]>([])
  const end = async (name: string, request: () => Promise<unknown>, done: string): Promise<void> => {
    if (busy.includes(name)) return
    setBusy((now) => [...now, name])
    try {
      await request()
      toast.status(done)
    } catch (failure) {
      toast.alert(errorMessage(failure))
    }
    await refetchSessions()
    setBusy((now) => now.filter((one) => one !== name))
  }
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
              <SessionItem
                key={session.id}
                session={session}
                busy={busy.includes(session.id)}
                onEnd={() =>
                  void end(
                    session.id,
                    () => call('DELETE /api/sessions/:id', { params: { id: session.id } }),
                    messages.sessions.ended,
                  )
                }
              />
            ))}
          </ul>
        )}
        <p id="everywhere-hint">{messages.sessions.everywhereHint}</p>
        <Button
          aria-describedby="everywhere-hint"
          busy={busy.includes(EVERYWHERE)}
          onClick={() =>
            void end(
              EVERYWHERE,
              () => call('POST /api/auth/logout-everywhere'),
              messages.sessions.othersEnded,
            )
          }
        >
          {messages.sessions.everywhere}
        </Button>
      </section>
      <Link to="/">{messages.goHome}</Link>
    </div>
  )
}

const EVERYWHERE = 'everywhere'

function SessionItem(props: { session: SessionView; busy: boolean; onEnd: () => void }) {
  const { browser, createdAt, lastSeenAt, current } = props.session
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
          busy={props.busy}
          aria-label={messages.sessions.end(browser, since)}
          onClick={props.onEnd}
        >
          {messages.sessions.signOut}
        </Button>
      )}
    </li>
  )
}
