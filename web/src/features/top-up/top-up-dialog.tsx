import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import {
  fromCents,
  TOP_UP_ABOVE_CENTS,
  TOP_UP_MAX_CENTS,
  TOP_UP_MIN_CENTS,
  TRANSFER_NOTE,
} from '@prelude/contracts'
import { call, errorMessage } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { useCredits, useDebt } from '../../api/credits.ts'
import { usePaymentMethods, usePayments } from '../../api/payments.ts'
import type { Method, NairaTransfer } from '../../api/routes.ts'
import { useCommand } from '../../api/use-command.ts'
import { format, messages } from '../../messages.ts'
import { inCents, parseAmount } from '../../text/amount.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { NextPromise } from '../../ui/next-promise.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Strong } from '../../ui/strong.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './top-up-dialog.module.css'

/** How long the page of a checkout may take to begin. */
const OPENING_MS = 10_000

export default function TopUpDialog({
  amount: prefill,
  onClose,
}: {
  amount: number | undefined
  onClose: () => void
}) {
  const [amount, setAmount] = useState(prefill === undefined ? '' : format.plain(prefill))
  const [method, setMethod] = useState<Method['id']>('card')
  // `at` is the key of the alert, so that a repeated error is announced again
  const [error, setError] = useState<{ text: string; at: number } | null>(null)
  const showError = (text: string): void => setError({ text, at: Date.now() })
  const [busy, setBusy] = useState(false)
  const { me } = useMe()
  const debt = useDebt()
  const balance = useCredits()
  const methods = usePaymentMethods()
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  // one checkout for one amount, also when the response of the first attempt is lost
  const attempt = useRef({ value: 0, key: '' })
  useEffect(() => {
    // the Back button restores this page from the back/forward cache, after a checkout that may be paid
    const onReturn = (event: PageTransitionEvent): void => {
      if (!event.persisted) return
      attempt.current = { value: 0, key: '' }
      setBusy(false)
    }
    addEventListener('pageshow', onReturn)
    return () => removeEventListener('pageshow', onReturn)
  }, [])
  const offered: readonly Method[] = methods.data ?? [{ id: 'card' }]
  const naira = method === 'naira_transfer' ? offered.find((one) => one.id === 'naira_transfer') : undefined
  // what is wrong with more decimals is said, as with any other amount that cannot be paid
  const value = parseAmount(amount, Infinity)
  const input = useRef<HTMLInputElement>(null)

  const pay = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    if (!(value > fromCents(TOP_UP_ABOVE_CENTS))) {
      showError(messages.amountTooLow)
      return
    }
    setBusy(true)
    setError(null)
    try {
      if (attempt.current.value !== value) attempt.current = { value, key: crypto.randomUUID() }
      const { url } = await call('POST /api/payments', {
        body: { amount: value, myamount: value, userId: me?.uid },
        idempotencyKey: attempt.current.key,
      })
      // closed meanwhile: the person has changed their mind
      if (isOpen.current) location.assign(url)
      // the browser may have been stopped on its way there: Pay then opens the same checkout again
      setTimeout(() => setBusy(false), OPENING_MS)
    } catch (failure) {
      showError(errorMessage(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={messages.topUp.title}
      open
      initialFocus={input}
      onOpenChange={(open) => !open && onClose()}
    >
      <form className="stack gap-4" noValidate onSubmit={(event) => void pay(event)}>
        <AmountField
          ref={input}
          value={amount}
          buysIt={method === 'card'}
          onValue={(next) => {
            setAmount(next)
            setError(null)
          }}
        />
        <Select
          label={messages.topUp.method}
          busy={methods.isPending}
          value={method}
          onChange={(event) => {
            setMethod(event.target.value as Method['id'])
            // the error belongs to the other method
            setError(null)
          }}
        >
          {offered.map(({ id }) => (
            <option key={id} value={id}>
              {messages.topUp.methods[id]}
            </option>
          ))}
        </Select>
        {methods.isError && !methods.data && <QueryState query={methods} variant="inline" />}
        {debt > 0 && <p className="bad">{messages.owed(debt)}</p>}
        {naira && <Instructions method={naira} onSent={onClose} onError={showError} />}
        {error !== null && <FormError key={error.at} text={error.text} />}
        {method === 'card' && <NextPromise balance={balance} />}
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={amount === '' || !(value > 1) || method !== 'card'}
        >
          {busy ? messages.topUp.opening : messages.topUp.pay}
        </Button>
      </form>
    </Dialog>
  )
}

/** Common sums, in dollars. */
const SUMS = [25, 50, 100]

/**
 * The amount in dollars, what it buys, and common sums. Not `type=number`, which drops a decimal comma in silence: 25,50
 * would be 2550.
 */
export function AmountField({
  ref,
  value,
  buysIt,
  onValue,
}: {
  ref: RefObject<HTMLInputElement | null>
  value: string
  /** False: another amount is paid, which the method names. */
  buysIt: boolean
  onValue: (value: string) => void
}) {
  const amount = parseAmount(value)
  const isPayable = amount > fromCents(TOP_UP_ABOVE_CENTS) && amount <= fromCents(TOP_UP_MAX_CENTS)
  // in cents: 31.01 + 1 has no end as a sum of floating-point numbers
  const step = (by: number): void =>
    onValue(format.plain(fromCents(Math.max(0, inCents(amount || 0) + 100 * by))))
  return (
    <div className="stack gap-2">
      <TextField
        ref={ref}
        label={messages.topUp.amount}
        role="spinbutton"
        aria-valuemin={fromCents(TOP_UP_MIN_CENTS)}
        aria-valuemax={fromCents(TOP_UP_MAX_CENTS)}
        aria-valuenow={amount || undefined}
        aria-valuetext={value}
        inputMode="decimal"
        min={20}
        autoComplete="off"
        hint={buysIt ? messages.topUp.amountHint : undefined}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        onKeyDown={(event) => {
          const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
          if (by === undefined) return
          event.preventDefault()
          step(by)
        }}
      />
      {buysIt && (
        <div className="row">
          {SUMS.map((sum) => (
            <Button key={sum} small onClick={() => onValue(String(sum))}>
              {messages.topUp.sum(sum)}
            </Button>
          ))}
        </div>
      )}
      <p aria-live="polite" className="mono">
        {buysIt && isPayable && messages.topUp.buys(amount)}
      </p>
    </div>
  )
}

export function Instructions(props: {
  method: NairaTransfer
  onSent: () => void
  onError: (sentence: string) => void
}) {
  const { method, onSent, onError } = props
  const announced = usePayments().payments.find(
    (payment) => payment.method === 'naira_transfer' && payment.status === 'open',
  )
  // pressed again after a lost answer, it is still one transfer
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { busy, run } = useCommand(async () => {
    await call('POST /api/payments/naira-transfers', { body: {}, idempotencyKey })
    toast.status(messages.transferNoted)
    onSent()
  }, onError)
  return (
    <div className={`stack dashed ${styles.bank}`}>
      <p>
        <Strong text={messages.topUp.send(method.amount, method.credits)} />
      </p>
      <dl>
        <dt>{messages.topUp.bank}</dt>
        <dd>{method.bankName}</dd>
        <dt>{messages.topUp.accountName}</dt>
        <dd>{method.accountName}</dd>
        <dt>{messages.topUp.accountNumber}</dt>
        <dd className="mono">{method.accountNumber}</dd>
        <dt>{messages.topUp.reference}</dt>
        <dd>{method.reference}</dd>
      </dl>
      <p>
        <Strong text={messages.topUp.rule} /> {messages.topUp.soon}
        {/* the configured note; the default one repeats the sentence before */}
        {method.note !== TRANSFER_NOTE && ` ${method.note}`} {messages.topUp.questions}{' '}
        <a href={`mailto:${method.supportEmail}`}>{method.supportEmail}</a>
      </p>
      {announced && <p role="status">{messages.topUp.announced(format.when(announced.createdAt))}</p>}
      <Button busy={busy} onClick={() => void run()}>
        {messages.topUp.sent}
      </Button>
    </div>
  )
}
