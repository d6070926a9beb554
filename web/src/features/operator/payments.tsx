import { type FormEvent, useState } from 'react'
import { markDirections } from '@prelude/contracts'
import { useOperatorList } from '../../api/operator.ts'
import { isAbandoned } from '../../api/payments.ts'
import type { PaymentRow, PersonAccount } from '@prelude/contracts'
import { format, messages } from '../../messages.ts'
import { parseAmount } from '../../text/amount.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { OperatorList, useIdempotentPost } from './operator-list.tsx'
import { ConfirmAboutPerson } from './confirm-about-person.tsx'
import styles from './operator.module.css'
import { nameOf } from './person.ts'
import { afterRefund, refundable } from './sums.ts'

/** Payments of all people, with a refund for card payments. */
export function Payments() {
  const [showsAbandoned, setShowsAbandoned] = useState(false)
  return (
    <>
      <Checkbox checked={showsAbandoned} onChange={setShowsAbandoned}>
        {messages.operator.showAbandoned}
      </Checkbox>
      <OperatorList
        list={useOperatorList('payments')}
        empty={messages.operator.noPayment}
        isShown={(payment) => showsAbandoned || !isAbandoned(payment)}
      >
        {(payment) => <PaymentItem key={payment.id} payment={payment} />}
      </OperatorList>
    </>
  )
}

function PaymentItem({ payment }: { payment: PaymentRow }) {
  const left = refundable(payment)
  return (
    <li className="stack gap-2">
      <div className={`row split ${styles.entry}`}>
        <span>
          <strong>{markDirections(payment.name ?? messages.operator.anonymous)}</strong>
          <span className="soft">{markDirections(payment.email ?? '')}</span>
          <span className="soft">
            {messages.statement.states[isAbandoned(payment) ? 'abandoned' : payment.status]}
            {payment.refundedAmount > 0 &&
              ` · ${messages.statement.refundedPart(format.money(payment.refundedAmount, payment.currency))}`}{' '}
            · {format.when(payment.createdAt)}
          </span>
        </span>
        <span className={`mono ${styles.figure}`}>
          {payment.amount === null ? '—' : format.money(payment.amount, payment.currency)}
        </span>
      </div>
      {payment.method === 'card' && payment.status === 'paid' && left > 0 && (
        <Refund payment={payment} dollars={left} />
      )}
    </li>
  )
}

function Refund({ payment, dollars }: { payment: PaymentRow; dollars: number }) {
  const [typed, setTyped] = useState<string | null>(null)
  // what is left, also after a partial refund
  const amount = typed ?? format.plain(dollars)
  const money = (value: number): string => format.money(value, payment.currency)
  const refunding = useIdempotentPost('POST /api/operator/payments/:id/refund', {
    params: { id: payment.id },
  })
  const [isAsking, setAsking] = useState(false)
  const sum = parseAmount(amount)
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    setAsking(true)
  }
  const refund = async (): Promise<void> => {
    if (await refunding.send({ amount: sum }, messages.operator.refunded)) setTyped(null)
  }
  return (
    <details>
      <summary>{messages.operator.refund}</summary>
      <form className="inline" onSubmit={ask}>
        <TextField
          label={messages.operator.dollars}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setTyped(event.target.value)}
        />
        {refunding.passwordField}
        <Button small type="submit" disabled={!(sum > 0)}>
          {messages.operator.refund}
        </Button>
      </form>
      {isAsking && (
        <ConfirmAboutPerson
          find={['uid', payment.uid]}
          isPossibleWithoutPerson
          question={(person) =>
            messages.operator.refundQuestion(
              money(sum),
              nameOf(person ?? payment) || messages.operator.anonymous,
            )
          }
          lines={(person) => effectOf(sum, person, money)}
          action={messages.operator.giveBack(money(sum))}
          busy={refunding.busy}
          onConfirm={refund}
          onClose={() => setAsking(false)}
        />
      )}
    </details>
  )
}

function effectOf(
  sum: number,
  person: PersonAccount,
  money: (value: number) => string,
): readonly (string | false)[] {
  const { operator } = messages
  const { email, balance } = person
  const { owed, debt } = afterRefund(person, sum)
  return [
    markDirections(email),
    owed === 0 ? operator.refundTakes(sum, balance) : operator.refundOwes(sum, owed, debt),
    owed > 0 && balance > 0 && operator.refundWithoutDebt(money(balance)),
    operator.refundMail,
  ]
}
