import { type FormEvent, useState } from 'react'
import { markDirections, type PaymentStatus } from '@prelude/contracts'
import { format, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { TextField } from '../../ui/field.tsx'
import { OperatorList, useOperatorList, useIdempotentPost } from './operator-list.tsx'
import styles from './operator.module.css'

interface PaymentRow {
  readonly id: string
  readonly email?: string
  readonly method: string
  readonly amount: number | null
  readonly currency: string
  readonly status: PaymentStatus
  readonly refundedAmount: number
  readonly createdAt: number
}

/** Payments of all people, with a refund for card payments. */
export function Payments() {
  return (
    <OperatorList list={useOperatorList<PaymentRow>('payments')} empty={messages.operator.noPayment}>
      {(payment) => <PaymentItem key={payment.id} payment={payment} />}
    </OperatorList>
  )
}

function PaymentItem({ payment }: { payment: PaymentRow }) {
  const refundable = (payment.amount ?? 0) - payment.refundedAmount
  const [amount, setAmount] = useState(String(refundable))
  const refunding = useIdempotentPost(`/api/operator/payments/${payment.id}/refund`)
  const refund = (event: FormEvent): void => {
    event.preventDefault()
    void refunding.send({ amount: Number(amount) }, messages.operator.refunded)
  }
  return (
    <li>
      <div className={styles.entry}>
        <span>
          {markDirections(payment.email ?? '')}
          <span className={styles.soft}>
            {messages.statement.states[payment.status]}
            {payment.refundedAmount > 0 &&
              ` · ${messages.statement.refundedPart(format.money(payment.refundedAmount, payment.currency))}`}{' '}
            · {ago(payment.createdAt)}
          </span>
        </span>
        <span className={`mono ${styles.figure}`}>
          {payment.amount === null ? '—' : format.money(payment.amount, payment.currency)}
        </span>
      </div>
      {payment.method === 'card' && payment.status === 'paid' && refundable > 0 && (
        <details>
          <summary>{messages.operator.refund}</summary>
          <form className={styles.inline} onSubmit={refund}>
            <TextField
              label={messages.operator.dollars}
              inputMode="decimal"
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
            />
            <Button small type="submit" busy={refunding.busy}>
              {messages.operator.refund}
            </Button>
          </form>
        </details>
      )}
    </li>
  )
}
