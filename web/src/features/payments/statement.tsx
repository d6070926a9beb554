import type { Payment, StatementEntry } from '@prelude/contracts'
import { errorMessage } from '../../api/client.ts'
import { useDebt, useEntries } from '../../api/credits.ts'
import { loadMore } from '../../api/pages.ts'
import { isAbandoned, usePayments } from '../../api/payments.ts'
import { useSongNames } from '../../api/songs.ts'
import { useOverlays } from '../../state/overlays.ts'
import { credits, format, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { SaveLink } from '../../ui/save-link.tsx'
import { SignInFirst } from '../../ui/sign-in-first.tsx'
import { usePageTitle } from '../../state/title.ts'
import { ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { Link } from '../../router.tsx'
import styles from './statement.module.css'

export default function Statement({ signedIn }: { signedIn: boolean }) {
  if (!signedIn) return <SignInFirst tape="recording" title={messages.statement.title} />
  return <Account />
}

function Account() {
  usePageTitle(messages.statement.title)
  const debt = useDebt()
  return (
    <div className="page narrow">
      {debt > 0 && <p className="bad">{messages.owed(debt)}</p>}
      <Entries />
      <Payments />
      <Link to="/">{messages.goHome}</Link>
    </div>
  )
}

function Entries() {
  const entries = useEntries()
  const rows = entries.data?.pages.flatMap((page) => page.items) ?? []
  const subjectOf = useSubjects(rows)
  return (
    <section aria-label={messages.statement.title}>
      <div className={`row split head ${styles.head}`}>
        <h1>{messages.statement.title}</h1>
        <SaveLink className={buttonClass('outline', true)} href="/api/credits/entries?format=csv">
          {messages.statement.csv}
        </SaveLink>
      </div>
      {!entries.data && <QueryState query={entries} />}
      {entries.isSuccess && rows.length === 0 && <p className="soft">{messages.statement.empty}</p>}
      {rows.length > 0 && (
        <div className="sideways" tabIndex={0} role="region" aria-label={messages.statement.entries}>
          <table className={`table ${styles.table}`}>
            <thead>
              <tr>
                <th>{messages.statement.when}</th>
                <th>{messages.statement.what}</th>
                <th className="number">{messages.statement.credits}</th>
                <th className="number">{messages.statement.balance}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <tr key={entry.id}>
                  <td>{format.when(entry.createdAt)}</td>
                  <td>
                    {messages.statement.reasons[entry.reason]}{' '}
                    <span className={`soft hint ${styles.subject}`}>{subjectOf(entry)}</span>
                  </td>
                  <td className="number">
                    <Amount entry={entry} />
                  </td>
                  <td className="number">{credits(entry.balanceAfter)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {entries.hasNextPage && (
        <Button small busy={entries.isFetchingNextPage} onClick={() => void loadMore(entries)}>
          {entries.isFetchingNextPage ? messages.loading : messages.statement.more}
        </Button>
      )}
      {entries.isFetchNextPageError && !entries.isFetchingNextPage && (
        <FormError text={errorMessage(entries.error)} />
      )}
    </section>
  )
}

/** Of a reversed payment, and of one that was reinstated: the whole sum, and what of it is owed instead. */
function Amount({ entry: { amount, owed = 0, reason } }: { entry: StatementEntry }) {
  const isReversal = reason === 'payment_reversed' || reason === 'payment_reinstated'
  const sum = isReversal ? amount - owed : amount
  return (
    <>
      {sum > 0 ? '+' : ''}
      {credits(sum)}
      {isReversal && owed !== 0 && (
        <span className={`soft hint ${styles.subject}`}>{messages.statement.owed(owed)}</span>
      )}
    </>
  )
}

const SONG_REASONS = new Set<StatementEntry['reason']>(['song', 'refund'])

/** What an entry refers to: the song by its style, or the payment by method and amount. */
function useSubjects(rows: readonly StatementEntry[]): (entry: StatementEntry) => string | undefined {
  const songIds = rows
    .filter(({ reason }) => SONG_REASONS.has(reason))
    .map(({ reference }) => reference ?? '')
  const songNames = useSongNames([...new Set(songIds)])
  const payments = new Map(usePayments().payments.map((payment) => [payment.id, payment]))
  return ({ reference }) => {
    const name = songNames.get(reference ?? '')
    const payment = payments.get(reference ?? '')
    if (name !== undefined) return truncate(name, ALBUM_STYLE_POINTS)
    return payment && `${messages.topUp.methods[payment.method]} ${amountOf(payment)}`
  }
}

const amountOf = ({ amount, currency }: Payment): string =>
  amount === null ? '—' : format.money(amount, currency)

function Payments() {
  const { payments, query } = usePayments()
  if (!query.data) return <QueryState query={query} variant="inline" />
  if (payments.length === 0) return null
  const abandoned = payments.filter(isAbandoned)
  const others = payments.filter((payment) => !isAbandoned(payment))
  return (
    <section aria-label={messages.statement.payments}>
      <div className={`row split head ${styles.head}`}>
        <h2 className="title">{messages.statement.payments}</h2>
      </div>
      {others.length > 0 && <PaymentTable label={messages.statement.paymentList} payments={others} />}
      {abandoned.length > 0 && (
        <details>
          <summary>{messages.statement.notCompleted(abandoned.length)}</summary>
          <PaymentTable label={messages.statement.notCompleted(abandoned.length)} payments={abandoned} />
        </details>
      )}
    </section>
  )
}

function PaymentTable({ label, payments }: { label: string; payments: readonly Payment[] }) {
  return (
    <div className="sideways" tabIndex={0} role="region" aria-label={label}>
      <table className={`table ${styles.table}`}>
        <thead>
          <tr>
            <th>{messages.statement.when}</th>
            <th>{messages.statement.by}</th>
            <th className="number">{messages.topUp.amount}</th>
            <th>{messages.statement.state}</th>
            <th>
              <span className="visually-hidden">{messages.statement.links}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <PaymentRow key={payment.id} payment={payment} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PaymentRow({ payment }: { payment: Payment }) {
  const overlays = useOverlays()
  const { states } = messages.statement
  return (
    <tr>
      <td>{format.when(payment.createdAt)}</td>
      <td>{messages.topUp.methods[payment.method]}</td>
      <td className="number">{amountOf(payment)}</td>
      <td>
        {isAbandoned(payment) ? states.abandoned : states[payment.status]}
        {payment.status === 'paid' && payment.refundedAmount > 0 && (
          <span className={`soft hint ${styles.subject}`}>
            {messages.statement.refundedPart(format.money(payment.refundedAmount, payment.currency))}
          </span>
        )}
      </td>
      <td>
        {payment.url !== null && <a href={payment.url}>{messages.statement.resume}</a>}
        {hasFailed(payment) && (
          <Button small onClick={() => overlays.openTopUp(payment.amount ?? undefined)}>
            {messages.payment.again}
          </Button>
        )}
        {payment.receiptUrl !== null && <a href={payment.receiptUrl}>{messages.statement.receipt}</a>}
      </td>
    </tr>
  )
}

const hasFailed = ({ method, status }: Payment): boolean =>
  method === 'card' && (status === 'failed' || status === 'expired')
