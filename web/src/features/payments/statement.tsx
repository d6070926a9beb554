import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Payment, StatementEntry } from '@prelude/contracts'
import { api } from '../../api/client.ts'
import type { Page } from '../../api/queries.ts'
import { signIn } from '../../api/session.ts'
import { credits, format, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useTitle } from '../../ui/title.ts'
import styles from './statement.module.css'

export default function Statement({ signedIn }: { signedIn: boolean }) {
  if (!signedIn)
    return (
      <Notice title={messages.statement.title}>
        <p>{messages.signInFirst}</p>
        <Button variant="primary" onClick={signIn}>
          {messages.statement.signIn}
        </Button>
      </Notice>
    )
  return <Account />
}

function Account() {
  useTitle(messages.statement.title)
  return (
    <div className={styles.page}>
      <Entries />
      <Payments />
      <Link to="/">{messages.goHome}</Link>
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
    <section aria-label={messages.statement.title}>
      <div className={styles.head}>
        <h1>{messages.statement.title}</h1>
        <a
          className={buttonClass('outline', true)}
          href="/api/credits/entries?format=csv"
          download="statement.csv"
        >
          {messages.statement.csv}
        </a>
      </div>
      {entries.isSuccess && rows.length === 0 && <p className={styles.empty}>{messages.statement.empty}</p>}
      {rows.length > 0 && (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={messages.statement.entries}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th>{messages.statement.when}</th>
                <th>{messages.statement.what}</th>
                <th className={styles.number}>{messages.statement.credits}</th>
                <th className={styles.number}>{messages.statement.balance}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <tr key={entry.id}>
                  <td>{format.when(entry.createdAt)}</td>
                  <td>{messages.statement.reasons[entry.reason]}</td>
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
          {messages.statement.more}
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
    <section aria-label={messages.statement.payments}>
      <div className={styles.head}>
        <h2>{messages.statement.payments}</h2>
      </div>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={messages.statement.paymentList}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>{messages.statement.when}</th>
              <th>{messages.statement.by}</th>
              <th className={styles.number}>{messages.topUp.amount}</th>
              <th>{messages.statement.state}</th>
              <th>
                <span className="visually-hidden">{messages.statement.links}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((payment) => (
              <tr key={payment.id}>
                <td>{format.when(payment.createdAt)}</td>
                <td>{messages.topUp.methods[payment.method]}</td>
                <td className={styles.number}>
                  {payment.amount === null ? '—' : format.money(payment.amount, payment.currency)}
                </td>
                <td>{messages.statement.states[payment.status]}</td>
                <td>
                  {payment.url !== null && <a href={payment.url}>{messages.statement.resume}</a>}
                  {payment.receiptUrl !== null && (
                    <a href={payment.receiptUrl}>{messages.statement.receipt}</a>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
