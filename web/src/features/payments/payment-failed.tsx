import { Link } from 'react-router'
import { useMe, usePayments } from '../../api/queries.ts'
import { useOpen } from '../../app/open.ts'
import { format, house, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './payment.module.css'

/** Also where a cancelled checkout leads to, which is still open then. */
export default function PaymentFailed() {
  const { me } = useMe()
  return (
    <Notice tape="spilled" title={messages.paymentFailed}>
      <p>{messages.paymentFailedText}</p>
      <p>
        <a href={`mailto:${house.supportEmail}`}>{house.supportEmail}</a>
      </p>
      <div className={styles.ways}>
        {me && <Again />}
        <Link to="/" className={buttonClass(me ? 'outline' : 'primary')}>
          {messages.payment.back}
        </Link>
      </div>
    </Notice>
  )
}

/** The checkout that can be gone on with, else a new one. */
function Again() {
  const open = useOpen()
  const { payments, isPending } = usePayments()
  const last = payments.find(({ method }) => method === 'card')
  if (last?.url && last.amount !== null)
    return (
      <a href={last.url} className={buttonClass('primary')}>
        {messages.payment.resume(format.money(last.amount, last.currency))}
      </a>
    )
  return (
    <Button variant="primary" busy={isPending} onClick={() => open.topUp(last?.amount ?? undefined)}>
      {messages.payment.again}
    </Button>
  )
}
