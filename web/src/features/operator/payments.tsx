import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/clock.ts'
import { TextField } from '../../ui/field.tsx'
import { act, DeskList, useList } from './desk-list.tsx'
import styles from './operator.module.css'

interface PaymentRow {
  readonly id: string
  readonly email?: string
  readonly method: string
  readonly amount: number | null
  readonly currency: string
  readonly status: string
  readonly refundedAmount: number
  readonly createdAt: number
}

/** The payments of all, and refunds of those by card. */
export function Payments() {
  return (
    <DeskList list={useList<PaymentRow>('payments')} empty="No payment yet.">
      {(payment) => <PaymentItem key={payment.id} payment={payment} />}
    </DeskList>
  )
}

function PaymentItem({ payment }: { payment: PaymentRow }) {
  const left = (payment.amount ?? 0) - payment.refundedAmount
  const [amount, setAmount] = useState(String(left))
  const refund = (event: FormEvent): void => {
    event.preventDefault()
    void act(
      () => api.post(`/api/operator/payments/${payment.id}/refund`, { amount: Number(amount) }),
      'Payment refunded.',
    )
  }
  return (
    <li>
      <span>
        {payment.email} ·{' '}
        <span className="mono">{`${payment.amount?.toFixed(2) ?? '—'} ${payment.currency}`}</span> ·{' '}
        {payment.status} · {ago(payment.createdAt)}
      </span>
      {payment.method === 'card' && payment.status === 'paid' && left > 0 && (
        <details>
          <summary>Refund</summary>
          <form className={styles.inline} onSubmit={refund}>
            <TextField
              label="Dollars"
              inputMode="decimal"
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
            />
            <Button small type="submit">
              Refund
            </Button>
          </form>
        </details>
      )}
    </li>
  )
}
