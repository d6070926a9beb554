import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Payment, StatementEntry } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import type { Page } from '../../api/queries.ts'
import { signIn } from '../../api/session.ts'
import { credits, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useTitle } from '../../ui/title.ts'
import styles from './statement.module.css'

const REASONS: Record<StatementEntry['reason'], string> = {
  starting: 'Welcome credits',
  top_up: 'Top-up',
  transfer: 'Bank transfer',
  song: 'Song',
  refund: 'Song given back',
  adjustment: 'Adjustment',
  payment_reversed: 'Payment reversed',
  payment_reinstated: 'Payment reinstated',
  debt_settled: 'Debt settled',
}
const METHODS = { card: 'Card', naira_transfer: 'Naira Transfer', alternate: 'Paystack' }

const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export default function Statement({ signedIn }: { signedIn: boolean }) {
  if (!signedIn)
    return (
      <Notice title="Statement">
        <p>{messages.signInFirst}</p>
        <Button variant="primary" onClick={signIn}>
          Sign in
        </Button>
      </Notice>
    )
  return <Account />
}

function Account() {
  useTitle('Statement')
  return (
    <div className={styles.page}>
      <Entries />
      <Payments />
      <Link to="/">Go Home</Link>
    </div>
  )
}

function Entries() {
  const entries = useInfiniteQuery({
    queryKey: ['entries'],
    queryFn: ({ pageParam }) =>
      api.get<Page<StatementEntry>>(`/api/credits/entries?limit=50${pageParam && `&cursor=${pageParam}`}`),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const rows = entries.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section aria-label="Statement">
      <div className={styles.head}>
        <h1>Statement</h1>
        <a
          className={buttonClass('outline', true)}
          href="/api/credits/entries?format=csv"
          download="statement.csv"
        >
          Save as CSV
        </a>
      </div>
      {entries.isSuccess && rows.length === 0 && (
        <p className={styles.empty}>Nothing has happened to your credits yet.</p>
      )}
      {rows.length > 0 && (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label="Entries">
          <table className={styles.table}>
            <thead>
              <tr>
                <th>When</th>
                <th>What</th>
                <th className={styles.number}>Credits</th>
                <th className={styles.number}>Balance</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <tr key={entry.id}>
                  <td>{when.format(entry.createdAt)}</td>
                  <td>{REASONS[entry.reason]}</td>
                  <td className={styles.number}>
                    {entry.amount > 0 ? '+' : ''}
                    {credits(entry.amount)}
                  </td>
                  <td className={styles.number}>{credits(entry.balanceAfter)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {entries.hasNextPage && (
        <Button small onClick={() => void entries.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  )
}

function Payments() {
  const payments = useQuery({
    queryKey: ['payments'],
    queryFn: () => api.get<Page<Payment>>('/api/payments?limit=100'),
  })
  const rows = payments.data?.items ?? []
  if (rows.length === 0) return null
  return (
    <section aria-label="Payments">
      <div className={styles.head}>
        <h2>Payments</h2>
      </div>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label="List of payments">
        <table className={styles.table}>
          <thead>
            <tr>
              <th>When</th>
              <th>By</th>
              <th className={styles.number}>Amount</th>
              <th>State</th>
              <th>
                <span className="visually-hidden">Links</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((payment) => (
              <tr key={payment.id}>
                <td>{when.format(payment.createdAt)}</td>
                <td>{METHODS[payment.method]}</td>
                <td className={styles.number}>
                  {payment.amount === null ? '—' : `${payment.amount.toFixed(2)} ${payment.currency}`}
                </td>
                <td>{payment.status}</td>
                <td>
                  {payment.url !== null && <a href={payment.url}>Continue</a>}
                  {payment.receiptUrl !== null && <a href={payment.receiptUrl}>Receipt</a>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
