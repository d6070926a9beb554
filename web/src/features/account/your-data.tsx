import type { UseQueryResult } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Closing, Me } from '@prelude/contracts'
import { useClosing } from '../../api/account.ts'
import { ApiProblem } from '../../api/client.ts'
import { signIn } from '../../api/session.ts'
import { closeAccount } from '../../api/sign-out.ts'
import { useCommand } from '../../api/use-command.ts'
import { siteConfig, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { usePageTitle } from '../../state/title.ts'
import { Link, navigate } from '../../router.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './account.module.css'

/** Data export and closing of the account. */
export default function YourData({ me }: { me: Me | null }) {
  if (!me) return <SignInFirst title={messages.yourData.title} />
  return <Page me={me} />
}

function Page({ me }: { me: Me }) {
  usePageTitle(messages.yourData.title)
  const closing = useClosing()
  const isOld = closing.data?.signInAgain === true
  return (
    <div className={`page narrow ${styles.page}`}>
      <section aria-labelledby="your-data">
        <h1 id="your-data" className="head title">
          {messages.yourData.title}
        </h1>
        <p>{messages.yourData.holds}</p>
        {isOld ? (
          <>
            <p role="status">{messages.yourData.signInAgain}</p>
            <Button variant="primary" onClick={signIn}>
              {messages.statement.signIn}
            </Button>
          </>
        ) : (
          <SaveLink className={buttonClass()} href="/api/account/export">
            {messages.yourData.download}
          </SaveLink>
        )}
      </section>
      {!isOld && (
        <section aria-labelledby="close-account">
          <h2 id="close-account" className="head title">
            {messages.yourData.close}
          </h2>
          {me.operator.eligible && <p>{messages.yourData.operatorStays}</p>}
          {!me.operator.eligible && <CloseAccount uid={me.uid} closing={closing} />}
        </section>
      )}
      <Link to="/">{messages.goHome}</Link>
    </div>
  )
}

function CloseAccount({ uid, closing }: { uid: string; closing: UseQueryResult<Closing> }) {
  const { data, refetch } = closing
  if (!data || closing.error) return <QueryState query={closing} variant="inline" />
  const obstacle = obstacleOf(data)
  if (obstacle !== null)
    return (
      <>
        <p className="bad">{obstacle}</p>
        <p>
          <a href={`mailto:${siteConfig.supportEmail}`}>{siteConfig.supportEmail}</a>
        </p>
      </>
    )
  return (
    <>
      <p>{messages.yourData.irreversible}</p>
      <ClosingEffects closing={data} />
      <ConfirmForm uid={uid} closing={data} onChanged={() => void refetch()} />
    </>
  )
}

function obstacleOf({ debt, paymentsUnderWay }: Closing): string | null {
  if (debt > 0) return messages.yourData.inDebt(debt)
  return paymentsUnderWay > 0 ? messages.yourData.underWay : null
}

function ClosingEffects({ closing: { credits, songs } }: { closing: Closing }) {
  const { yourData } = messages
  const lines: ReactNode[] = [
    songs.ready > 0 && yourData.losesReady(songs.ready),
    songs.cooking > 0 && yourData.losesCooking(songs.cooking),
    songs.waiting > 0 && yourData.losesWaiting(songs.waiting),
    credits > 0 && yourData.losesCredits(credits, siteConfig.supportEmail),
    yourData.losesName,
    yourData.stays,
  ].filter(Boolean)
  return (
    <ul className={`stack gap-2 ${styles.losses}`}>
      {lines.map((line, i) => (
        <li key={i}>{line}</li>
      ))}
    </ul>
  )
}

function ConfirmForm(props: { uid: string; closing: Closing; onChanged: () => void }) {
  const { email, credits } = props.closing
  const [typed, setTyped] = useState('')
  const { busy, error, refuse, run } = useCommand(async () => {
    await closeAccount(props.uid, { email: typed, credits }, () => navigate('/')).catch(
      (failure: unknown) => {
        if (failure instanceof ApiProblem && (failure.status === 409 || failure.code === 'sign_in_again'))
          props.onChanged()
        throw failure
      },
    )
    toast.status(messages.yourData.closed)
  })
  const close = (event: FormEvent): void => {
    event.preventDefault()
    if (typed.trim().toLowerCase() === email) void run()
    else refuse(messages.yourData.wrongConfirmation)
  }

  return (
    <form className={`stack gap-4 ${styles.form}`} noValidate onSubmit={close}>
      <TextField
        label={messages.yourData.confirm}
        hint={email}
        type="email"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {error && <FormError key={error.at} text={error.text} />}
      <Button type="submit" variant="primary" busy={busy}>
        {messages.yourData.closePermanently}
      </Button>
    </form>
  )
}
