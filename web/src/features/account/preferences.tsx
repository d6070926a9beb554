import { useEffect, useId, useState } from 'react'
import type { Me, Preferences as Chosen } from '@prelude/contracts'
import { changePreferences, usePreferences } from '../../api/preferences.ts'
import { useCommand } from '../../api/use-command.ts'
import { messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import { Loading } from '../../ui/loading.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { usePageTitle } from '../../state/title.ts'
import { toast } from '../../ui/toast.tsx'
import styles from './account.module.css'
import { isSubscribed, subscribe, unsubscribe } from './push.ts'

/** What the person is written to about, by mail and in this browser. */
export default function Preferences({ me }: { me: Me | null }) {
  usePageTitle(messages.preferences.title)
  const preferences = usePreferences(me !== null)
  const { data } = preferences
  if (!me) return <SignInFirst title={messages.preferences.title} />
  return (
    <div className={`page narrow ${styles.page}`}>
      <section aria-labelledby="preferences">
        <h1 id="preferences" className="head title">
          {messages.preferences.title}
        </h1>
        {!data && <QueryState query={preferences} variant="inline" />}
        {data && (
          <>
            <MailChoices uid={me.uid} mail={data.mail} />
            <PushChoice uid={me.uid} isWanted={data.push} />
          </>
        )}
      </section>
      <Link to="/">{messages.goHome}</Link>
    </div>
  )
}

const MAILS = ['ready', 'charged', 'late'] as const

function MailChoices({ uid, mail }: { uid: string; mail: Chosen['mail'] }) {
  return (
    <fieldset className={`stack ${styles.choices}`}>
      <legend>{messages.preferences.mails}</legend>
      {MAILS.map((kind) => (
        <Choice
          key={kind}
          label={messages.preferences.mail[kind]}
          checked={mail[kind]}
          onChange={(wanted) => changePreferences(uid, { mail: { [kind]: wanted } })}
        />
      ))}
      <Choice
        label={messages.preferences.mail.receipts}
        hint={messages.preferences.always}
        checked={mail.receipts}
        disabled
      />
    </fieldset>
  )
}

/** Off until asked for; the browser's own question follows the click. */
function PushChoice({ uid, isWanted }: { uid: string; isWanted: boolean }) {
  const [isHere, setHere] = useState(false)
  useEffect(() => {
    void isSubscribed(uid).then(setHere)
  }, [uid])
  const change = async (wanted: boolean): Promise<void> => {
    if (wanted) {
      const outcome = await subscribe(uid)
      if (outcome !== 'subscribed') return toast.alert(messages.preferences[outcome])
      await changePreferences(uid, { push: true })
    } else {
      await changePreferences(uid, { push: false })
      await unsubscribe(uid)
    }
    setHere(wanted)
  }
  return (
    <fieldset className={`stack ${styles.choices}`}>
      <legend>{messages.preferences.pushes}</legend>
      <Choice
        label={messages.preferences.push}
        hint={messages.preferences.pushHint}
        checked={isWanted && isHere}
        onChange={change}
      />
    </fieldset>
  )
}

/** A checkbox that shows what is saved; while it is being saved it says so. */
function Choice(props: {
  label: string
  hint?: string
  checked: boolean
  disabled?: boolean
  onChange?: (wanted: boolean) => Promise<void>
}) {
  const [chosen, setChosen] = useState(false)
  const id = useId()
  const { busy, run } = useCommand(async (wanted: boolean) => {
    setChosen(wanted)
    await props.onChange?.(wanted)
  }, toast.alert)
  return (
    <div className={styles.choice}>
      <label>
        <input
          type="checkbox"
          checked={busy ? chosen : props.checked}
          disabled={props.disabled}
          aria-busy={busy || undefined}
          aria-describedby={props.hint === undefined ? undefined : id}
          onChange={({ target }) => void run(target.checked)}
        />
        {props.label}
      </label>
      {busy && <Loading variant="inline" />}
      {props.hint !== undefined && (
        <span id={id} className={styles.soft}>
          {props.hint}
        </span>
      )}
    </div>
  )
}
