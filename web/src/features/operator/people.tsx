import { isBlank, markDirections } from '@prelude/contracts'
import { type FormEvent, useState } from 'react'
import { fromCents, MAX_BY_HAND_CENTS } from '@prelude/contracts'
import { call } from '../../api/client.ts'
import { useOperatorList } from '../../api/operator.ts'
import type { PersonAccount } from '@prelude/contracts'
import { useCommand } from '../../api/use-command.ts'
import { credits, messages } from '../../messages.ts'
import { parseAmount } from '../../text/amount.ts'
import { Button } from '../../ui/button.tsx'
import { SEARCH_DELAY_MS, useDebounced } from '../../state/debounced.ts'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { OperatorList, runAction, useIdempotentPost } from './operator-list.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ConfirmAboutPerson } from './confirm-about-person.tsx'
import styles from './operator.module.css'
import { nameOf } from './person.ts'
import { balanceAfter } from './sums.ts'

const MOST = fromCents(MAX_BY_HAND_CENTS)

/** All people with balance and debt, and a form to adjust credits. */
export function People() {
  const [typed, setTyped] = useState('')
  const q = useDebounced(typed, SEARCH_DELAY_MS)
  const [hasDebt, setHasDebt] = useState(false)
  const list = useOperatorList(hasDebt ? 'debts' : 'people', hasDebt || q === '' ? {} : { q })
  return (
    <>
      <TextField
        label={messages.operator.searchPeople}
        type="search"
        value={typed}
        disabled={hasDebt}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Checkbox checked={hasDebt} onChange={setHasDebt}>
        {messages.operator.onlyDebts}
      </Checkbox>
      <OperatorList list={list} empty={hasDebt ? messages.operator.noDebts : messages.operator.noMatches}>
        {(person) => <PersonItem key={person.uid} person={person} />}
      </OperatorList>
    </>
  )
}

function PersonItem({ person }: { person: PersonAccount }) {
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const adjusting = useIdempotentPost('POST /api/operator/credits', {})
  const [isAsking, setAsking] = useState(false)
  const sum = parseAmount(amount)
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setAsking(Math.abs(sum) <= MOST)
  }
  const adjust = async (): Promise<void> => {
    const body = { uid: person.uid, credits: sum, reason }
    // kept until it succeeds: the same body again is the same adjustment
    if (!(await adjusting.send(body, messages.operator.adjusted))) return
    setAmount('')
    setReason('')
  }
  return (
    <li className="stack gap-2">
      <div className={`row split ${styles.entry}`}>
        <span>
          <strong>{markDirections(person.name ?? messages.operator.anonymous)}</strong>
          <span className="soft">{markDirections(person.email)}</span>
          {person.mailsRefused && <span className="bad">{messages.operator.mailsRefused}</span>}
        </span>
        <span className={`mono ${styles.figure}`}>
          {credits(person.balance)}
          {person.debt > 0 && <span className="bad"> {messages.operator.owes(person.debt)}</span>}
        </span>
      </div>
      <details>
        <summary>{messages.operator.adjustCredits}</summary>
        <form className="inline" onSubmit={ask}>
          <TextField
            label={messages.operator.creditsToAdjust}
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
          <TextField
            label={messages.operator.reason}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          {Math.abs(sum) > MOST && <FormError text={messages.operator.adjustmentTooHigh(MOST)} />}
          {adjusting.passwordField}
          <Button small type="submit" disabled={Number.isNaN(sum) || sum === 0 || isBlank(reason)}>
            {messages.operator.adjust}
          </Button>
        </form>
        {isAsking && (
          <ConfirmAboutPerson
            find={['uid', person.uid]}
            question={(now) => messages.operator.adjustQuestion(sum, nameOf(now ?? person))}
            lines={(now) => [
              markDirections(now.email),
              messages.operator.adjustEffect(now.balance, balanceAfter(now, sum)),
              sum > 0 && now.debt > 0 && messages.operator.settlesDebt(now.debt),
              messages.operator.reasonGiven(markDirections(reason)),
            ]}
            action={messages.operator.adjustAction(sum)}
            busy={adjusting.busy}
            onConfirm={adjust}
            onClose={() => setAsking(false)}
          />
        )}
      </details>
      <EndSessions person={person} />
    </li>
  )
}

function EndSessions({ person }: { person: PersonAccount }) {
  const [isAsking, setAsking] = useState(false)
  const { operator } = messages
  const { busy, run } = useCommand(() =>
    runAction(
      () => call('DELETE /api/operator/people/:uid/sessions', { params: { uid: person.uid } }),
      operator.sessionsEnded,
    ),
  )
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        {operator.endSessions}
      </Button>
      {isAsking && (
        <ConfirmDialog
          question={operator.endSessionsQuestion(nameOf(person))}
          action={operator.endSessions}
          busy={busy}
          onConfirm={run}
          onClose={() => setAsking(false)}
        >
          <p>{markDirections(person.email)}</p>
          <p>{operator.endSessionsEffect}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
