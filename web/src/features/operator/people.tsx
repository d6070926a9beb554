import { type FormEvent, useState } from 'react'
import { credits, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { DeskList, useList, useOnce } from './desk-list.tsx'
import styles from './operator.module.css'

interface PersonRow {
  readonly uid: string
  readonly name: string | null
  readonly email: string
  readonly balance: number
  readonly debt: number
}

/** Everybody with what they have and owe, and a correction by hand. */
export function People() {
  const [q, setQ] = useState('')
  const [owing, setOwing] = useState(false)
  const list = useList<PersonRow>(owing ? 'debts' : 'people', owing || q === '' ? {} : { q })
  return (
    <>
      <TextField
        label={messages.operator.searchPeople}
        type="search"
        value={q}
        disabled={owing}
        onChange={(event) => setQ(event.target.value)}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={owing} onChange={(event) => setOwing(event.target.checked)} />
        {messages.operator.onlyOwing}
      </label>
      <DeskList list={list} empty={owing ? messages.operator.nobodyOwes : messages.operator.nobody}>
        {(person) => <PersonItem key={person.uid} person={person} />}
      </DeskList>
    </>
  )
}

function PersonItem({ person }: { person: PersonRow }) {
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const adjusting = useOnce('/api/operator/credits')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void adjusting.send({ uid: person.uid, credits: Number(amount), reason }, messages.operator.adjusted)
  }
  return (
    <li>
      <div className={styles.entry}>
        <span>
          <strong>{person.name ?? messages.operator.anonymous}</strong>
          <span className={styles.soft}>{person.email}</span>
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
