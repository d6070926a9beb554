import { fromCents, isBlank, markDirections, MAX_BY_HAND_CENTS, TRANSFER_MIN_KOBO } from '@prelude/contracts'
import { type FormEvent, useState } from 'react'
import { useOperatorList } from '../../api/operator.ts'
import type { PersonAccount } from '@prelude/contracts'
import type { Transfer } from '../../api/routes.ts'
import { format, messages } from '../../messages.ts'
import { parseAmount } from '../../text/amount.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { OperatorList, useIdempotentPost } from './operator-list.tsx'
import { ConfirmAboutPerson } from './confirm-about-person.tsx'
import styles from './operator.module.css'
import { nameOf } from './person.ts'
import { balanceAfter, creditsForNaira } from './sums.ts'

const MIN_NAIRA = String(fromCents(TRANSFER_MIN_KOBO))
const MOST = fromCents(MAX_BY_HAND_CENTS)

const isPossible = (naira: number): boolean => creditsForNaira(naira) <= MOST

const naira = (sum: number): string => format.money(sum, 'NGN')

const effectOf = (sum: number, person: PersonAccount): readonly (string | false)[] => [
  markDirections(person.email),
  messages.operator.adjustEffect(person.balance, balanceAfter(person, creditsForNaira(sum))),
  person.debt > 0 && messages.operator.settlesDebt(person.debt),
]

/** Announced transfers to confirm or reject, and a form for unannounced ones. */
export function Transfers() {
  const list = useOperatorList('transfers')
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
  const [isAsking, setAsking] = useState(false)
  const sum = parseAmount(amount)
  const target = { params: { id: transfer.id } }
  const confirming = useIdempotentPost('POST /api/operator/transfers/:id/confirm', target)
  const rejecting = useIdempotentPost('POST /api/operator/transfers/:id/reject', target)
  return (
    <li className="stack gap-2">
      <div className={`row split ${styles.entry}`}>
        <span>
          <strong>{markDirections(transfer.email)}</strong>
          <span className="soft">{messages.operator.announced(format.when(transfer.createdAt))}</span>
        </span>
      </div>
      <div className="inline">
        <TextField
          label={messages.operator.nairaReceived}
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        {!isPossible(sum) && <FormError text={messages.operator.transferTooHigh(MOST)} />}
        {confirming.passwordField}
        <Button small disabled={!(sum > 0)} onClick={() => setAsking(isPossible(sum))}>
          {messages.operator.confirm}
        </Button>
        {isAsking && (
          <ConfirmAboutPerson
            find={['uid', transfer.uid]}
            question={(person) => messages.operator.transferQuestion(naira(sum), nameOf(person ?? transfer))}
            lines={(person) => effectOf(sum, person)}
            action={messages.operator.addCredits(creditsForNaira(sum))}
            busy={confirming.busy}
            onConfirm={() => confirming.send({ amount: sum }, messages.operator.confirmed)}
            onClose={() => setAsking(false)}
          />
        )}
      </div>
      <div className="inline">
        <TextField
          label={messages.operator.reasonToReject}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          small
          disabled={isBlank(reason)}
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
  const [isAsking, setAsking] = useState(false)
  const sum = parseAmount(amount)
  const recording = useIdempotentPost('POST /api/operator/transfers', {})
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setAsking(isPossible(sum))
  }
  const record = async (): Promise<void> => {
    // kept until it succeeds: the same body again is the same transfer
    if (await recording.send({ email, amount: sum }, messages.operator.recorded)) setEmail('')
  }
  return (
    <details>
      <summary>{messages.operator.unannounced}</summary>
      <form className="inline" onSubmit={submit}>
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
        {!isPossible(sum) && <FormError text={messages.operator.transferTooHigh(MOST)} />}
        {recording.passwordField}
        <Button small type="submit" disabled={email === '' || !(sum > 0)}>
          {messages.operator.record}
        </Button>
      </form>
      {isAsking && (
        <ConfirmAboutPerson
          find={['email', email.trim().toLowerCase()]}
          question={(person) => messages.operator.transferQuestion(naira(sum), nameOf(person ?? { email }))}
          lines={(person) => effectOf(sum, person)}
          action={messages.operator.addCredits(creditsForNaira(sum))}
          busy={recording.busy}
          onConfirm={record}
          onClose={() => setAsking(false)}
        />
      )}
    </details>
  )
}
