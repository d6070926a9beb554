import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, sentenceOf } from '../../api/client.ts'
import { type Page, queries } from '../../api/queries.ts'
import { credits } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/clock.ts'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './operator.module.css'

const TABS = ['Transfers', 'People', 'Payments', 'Audit'] as const
type Tab = (typeof TABS)[number]

/** What else the operator looks after. */
export function Desk() {
  const [tab, setTab] = useState<Tab>('Transfers')
  return (
    <>
      <div className={styles.tabs}>
        {TABS.map((name) => (
          <Button key={name} small aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </Button>
        ))}
      </div>
      {tab === 'Transfers' && <Transfers />}
      {tab === 'People' && <People />}
      {tab === 'Payments' && <Payments />}
      {tab === 'Audit' && <Audit />}
    </>
  )
}

const useList = <T,>(name: string, query = '') =>
  useQuery({
    queryKey: ['operator', name, query],
    queryFn: () => api.get<Page<T>>(`/api/operator/${name}?limit=50${query}`),
    refetchOnMount: 'always',
  }).data?.items

/** Does it, says so, and reads the desk again. */
async function act(work: () => Promise<unknown>, said: string): Promise<void> {
  try {
    await work()
    toast.status(said)
  } catch (error) {
    toast.alert(sentenceOf(error))
  }
  await queries.invalidateQueries({ queryKey: ['operator'] })
}

function Empty({ items, children }: { items: readonly unknown[] | undefined; children: string }) {
  if (items === undefined) return <p className={styles.soft}>Loading…</p>
  return items.length === 0 ? <p className={styles.soft}>{children}</p> : null
}

interface Transfer {
  readonly id: string
  readonly email: string
  readonly createdAt: number
}

function Transfers() {
  const items = useList<Transfer>('transfers')
  return (
    <div>
      <h3>Transfers</h3>
      <Empty items={items}>No transfer waits.</Empty>
      <ul className={styles.list}>
        {items?.map((transfer) => (
          <TransferItem key={transfer.id} transfer={transfer} />
        ))}
      </ul>
      <NewTransfer />
    </div>
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

interface PersonRow {
  readonly uid: string
  readonly name: string | null
  readonly email: string
  readonly balance: number
  readonly debt: number
}

function People() {
  const [q, setQ] = useState('')
  const items = useList<PersonRow>('people', q === '' ? '' : `&q=${encodeURIComponent(q)}`)
  return (
    <div>
      <h3>People</h3>
      <TextField
        label="Search people"
        type="search"
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <Empty items={items}>Nobody matches.</Empty>
      <ul className={styles.list}>
        {items?.map((person) => (
          <PersonItem key={person.uid} person={person} />
        ))}
      </ul>
    </div>
  )
}

function PersonItem({ person }: { person: PersonRow }) {
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = { uid: person.uid, credits: Number(amount), reason }
    void act(
      () => api.post('/api/operator/credits', body, { idempotencyKey: crypto.randomUUID() }),
      'Credits adjusted.',
    )
  }
  return (
    <li>
      <span>
        {person.name ?? 'Anonymous'} · {person.email} ·{' '}
        <span className="mono">{credits(person.balance)}</span>
        {person.debt > 0 && <span className={styles.low}> · owes {credits(person.debt)}</span>}
      </span>
      <details>
        <summary>Adjust credits</summary>
        <form className={styles.inline} onSubmit={submit}>
          <TextField
            label="Credits (negative takes)"
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
          <TextField label="Reason" value={reason} onChange={(event) => setReason(event.target.value)} />
          <Button small type="submit" disabled={amount === '' || reason.trim() === ''}>
            Adjust
          </Button>
        </form>
      </details>
    </li>
  )
}

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

function Payments() {
  const items = useList<PaymentRow>('payments')
  return (
    <div>
      <h3>Payments</h3>
      <Empty items={items}>No payment yet.</Empty>
      <ul className={styles.list}>
        {items?.map((payment) => (
          <PaymentItem key={payment.id} payment={payment} />
        ))}
      </ul>
    </div>
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

interface AuditRow {
  readonly id: string
  readonly at: number
  readonly action: string
  readonly outcome: string
  readonly target: string | null
}

function Audit() {
  const items = useList<AuditRow>('audit')
  return (
    <div>
      <h3>Audit</h3>
      <Empty items={items}>Nothing yet.</Empty>
      <ul className={styles.list}>
        {items?.map((row) => (
          <li key={row.id} className="mono">
            {ago(row.at)} · {row.action} · {row.outcome}
            {row.target !== null && ` · ${row.target}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
