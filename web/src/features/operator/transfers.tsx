import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/clock.ts'
import { TextField } from '../../ui/field.tsx'
import { act, DeskList, useList } from './desk-list.tsx'
import styles from './operator.module.css'

interface Transfer {
  readonly id: string
  readonly email: string
  readonly createdAt: number
}

/** Those that people say they made, to be confirmed or rejected, and those that came unannounced. */
export function Transfers() {
  const list = useList<Transfer>('transfers')
  return (
    <>
      <DeskList list={list} empty="No transfer waits.">
        {(transfer) => <TransferItem key={transfer.id} transfer={transfer} />}
      </DeskList>
      <NewTransfer />
    </>
  )
}

function TransferItem({ transfer }: { transfer: Transfer }) {
  const [amount, setAmount] = useState('37000')
  const [reason, setReason] = useState('')
  const path = `/api/operator/transfers/${transfer.id}`
  return (
    <li>
      <span>
        {transfer.email} · {ago(transfer.createdAt)}
      </span>
      <div className={styles.inline}>
        <TextField
          label="Naira received"
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Button
          small
          onClick={() =>
            void act(() => api.post(`${path}/confirm`, { amount: Number(amount) }), 'Transfer confirmed.')
          }
        >
          Confirm
        </Button>
      </div>
      <div className={styles.inline}>
        <TextField
          label="Reason to reject"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          small
          disabled={reason.trim() === ''}
          onClick={() => void act(() => api.post(`${path}/reject`, { reason }), 'Transfer rejected.')}
        >
          Reject
        </Button>
      </div>
    </li>
  )
}

function NewTransfer() {
  const [email, setEmail] = useState('')
  const [amount, setAmount] = useState('37000')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void act(
      () => api.post('/api/operator/transfers', { email, amount: Number(amount) }),
      'Transfer recorded.',
    )
  }
  return (
    <details>
      <summary>A transfer that nobody announced</summary>
      <form className={styles.inline} onSubmit={submit}>
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Naira"
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Button small type="submit">
          Record
        </Button>
      </form>
    </details>
  )
}
