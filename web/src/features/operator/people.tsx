import { markDirections } from '@prelude/contracts'
import { type FormEvent, useState } from 'react'
import { credits, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { OperatorList, useOperatorList, useIdempotentPost } from './operator-list.tsx'
import styles from './operator.module.css'

interface PersonRow {
  readonly uid: string
  readonly name: string | null
  readonly email: string
  readonly balance: number
  readonly debt: number
}

/** All people with balance and debt, and a form to adjust credits. */
export function People() {
  const [q, setQ] = useState('')
  const [hasDebt, setHasDebt] = useState(false)
  const list = useOperatorList<PersonRow>(hasDebt ? 'debts' : 'people', hasDebt || q === '' ? {} : { q })
  return (
    <>
      <TextField
        label={messages.operator.searchPeople}
        type="search"
        value={q}
        disabled={hasDebt}
        onChange={(event) => setQ(event.target.value)}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={hasDebt} onChange={(event) => setHasDebt(event.target.checked)} />
        {messages.operator.onlyDebts}
      </label>
      <OperatorList list={list} empty={hasDebt ? messages.operator.noDebts : messages.operator.noMatches}>
        {(person) => <PersonItem key={person.uid} person={person} />}
      </OperatorList>
    </>
  )
}

function PersonItem({ person }: { person: PersonRow }) {
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const adjusting = useIdempotentPost('/api/operator/credits')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void adjusting.send({ uid: person.uid, credits: Number(amount), reason }, messages.operator.adjusted)
  }
  return (
    <li>
      <div className={styles.entry}>
        <span>
          <strong>{markDirections(person.name ?? messages.operator.anonymous)}</strong>
          <span className={styles.soft}>{markDirections(person.email)}</span>
        </span>
        <span className={`mono ${styles.figure}`}>
          {credits(person.balance)}
          {person.debt > 0 && <span className={styles.low}> {messages.operator.owes(person.debt)}</span>}
        </span>
      </div>
      <details>
        <summary>{messages.operator.adjustCredits}</summary>
        <form className={styles.inline} onSubmit={submit}>
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
          <Button small type="submit" disabled={amount === '' || reason.trim() === ''} busy={adjusting.busy}>
            {messages.operator.adjust}
          </Button>
        </form>
      </details>
    </li>
  )
}
