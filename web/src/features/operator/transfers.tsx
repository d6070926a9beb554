import { fromCents, markDirections, TRANSFER_MIN_KOBO } from '@prelude/contracts'
import { type FormEvent, useState } from 'react'
import { messages } from '../../messages.ts'
import { parseAmount } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { TextField } from '../../ui/field.tsx'
import { OperatorList, useOperatorList, useIdempotentPost } from './operator-list.tsx'
import styles from './operator.module.css'

interface Transfer {
  readonly id: string
  readonly email: string
  readonly createdAt: number
}

const MIN_NAIRA = String(fromCents(TRANSFER_MIN_KOBO))

/** Announced transfers to confirm or reject, and a form for unannounced ones. */
export function Transfers() {
  const list = useOperatorList<Transfer>('transfers')
  return (
    <>
      <OperatorList list={list} empty={messages.operator.noTransfer}>
        {(transfer) => <TransferItem key={transfer.id} transfer={transfer} />}
      </OperatorList>
      <NewTransfer />
    </>
  )
}

function TransferItem({ transfer }: { transfer: Transfer }) {
  const [amount, setAmount] = useState(MIN_NAIRA)
  const [reason, setReason] = useState('')
  const confirming = useIdempotentPost(`/api/operator/transfers/${transfer.id}/confirm`)
  const rejecting = useIdempotentPost(`/api/operator/transfers/${transfer.id}/reject`)
  return (
    <li>
      <span>
        {markDirections(transfer.email)} · {ago(transfer.createdAt)}
      </span>
      <div className={styles.inline}>
        <TextField
          label={messages.operator.nairaReceived}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Button
          small
          busy={confirming.busy}
          onClick={() => void confirming.send({ amount: parseAmount(amount) }, messages.operator.confirmed)}
        >
          {messages.operator.confirm}
        </Button>
      </div>
      <div className={styles.inline}>
        <TextField
          label={messages.operator.reasonToReject}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          small
          disabled={reason.trim() === ''}
          busy={rejecting.busy}
          onClick={() => void rejecting.send({ reason }, messages.operator.rejected)}
        >
          {messages.operator.reject}
        </Button>
      </div>
    </li>
  )
}

function NewTransfer() {
  const [email, setEmail] = useState('')
  const [amount, setAmount] = useState(MIN_NAIRA)
  const recording = useIdempotentPost('/api/operator/transfers')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void recording.send({ email, amount: parseAmount(amount) }, messages.operator.recorded)
  }
  return (
    <details>
      <summary>{messages.operator.unannounced}</summary>
      <form className={styles.inline} onSubmit={submit}>
        <TextField
          label={messages.operator.email}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={messages.operator.naira}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Button small type="submit" busy={recording.busy}>
          {messages.operator.record}
        </Button>
      </form>
    </details>
  )
}
