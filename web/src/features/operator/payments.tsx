import { type FormEvent, useState } from 'react'
import { fromCents, markDirections, type PaymentStatus, toCents } from '@prelude/contracts'
import { format, messages } from '../../messages.ts'
import { parseAmount } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { TextField } from '../../ui/field.tsx'
import { OperatorList, PasswordField, useOperatorList, useIdempotentPost } from './operator-list.tsx'
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

/** What is left to refund, in integer cents. */
const refundableCents = ({ amount, refundedAmount }: PaymentRow): number =>
  (toCents(amount ?? 0) ?? 0) - (toCents(refundedAmount) ?? 0)

function PaymentItem({ payment }: { payment: PaymentRow }) {
  const refundable = refundableCents(payment)
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
        <Refund payment={payment} dollars={fromCents(refundable)} />
      )}
    </li>
  )
}

function Refund({ payment, dollars }: { payment: PaymentRow; dollars: number }) {
  const [typed, setTyped] = useState<string | null>(null)
  // what is left, also after a partial refund
  const amount = typed ?? String(dollars)
  const refunding = useIdempotentPost(`/api/operator/payments/${payment.id}/refund`)
  const [password, setPassword] = useState('')
  const refund = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const body = { amount: parseAmount(amount), ...(refunding.needsPassword && { password }) }
    if (!(await refunding.send(body, messages.operator.refunded))) return
    setTyped(null)
    setPassword('')
  }
  return (
    <details>
      <summary>{messages.operator.refund}</summary>
      <form className={styles.inline} onSubmit={(event) => void refund(event)}>
        <TextField
          label={messages.operator.dollars}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setTyped(event.target.value)}
        />
        {refunding.needsPassword && <PasswordField value={password} onChange={setPassword} />}
        <Button small type="submit" busy={refunding.busy}>
          {messages.operator.refund}
        </Button>
      </form>
    </details>
  )
}
