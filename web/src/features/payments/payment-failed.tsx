import { useMe } from '../../api/me.ts'
import { usePayments } from '../../api/payments.ts'
import { useOverlays } from '../../state/overlays.ts'
import { format, siteConfig, messages } from '../../messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Link } from '../../router.tsx'

/** The page after a failed or cancelled checkout; a cancelled one is still open and can be resumed. */
export default function PaymentFailed() {
  const { me } = useMe()
  return (
    <Notice tape="spilled" title={messages.paymentFailed}>
      <p>{messages.paymentFailedText}</p>
      <p>
        <a href={`mailto:${siteConfig.supportEmail}`}>{siteConfig.supportEmail}</a>
      </p>
      {me && <NotCharged />}
      <div className="row">
        {me && <RetryPayment />}
        <Link to="/" className={buttonClass(me ? 'outline' : 'primary')}>
          {messages.payment.back}
        </Link>
      </div>
    </Notice>
  )
}

const useLastCheckout = () => {
  const { payments, isPending } = usePayments()
  return { last: payments.find(({ method }) => method === 'card'), isPending }
}

/** The checkout is open: it was cancelled or declined, and no money has moved. */
function NotCharged() {
  const { last } = useLastCheckout()
  return <p role="status">{last?.status === 'open' && messages.payment.notCharged}</p>
}

/** A link to the open checkout, else a button that starts a new one. */
function RetryPayment() {
  const overlays = useOverlays()
  const { last, isPending } = useLastCheckout()
  if (last?.url && last.amount !== null)
    return (
      <>
        <a href={last.url} className={buttonClass('primary')}>
          {messages.payment.resume(format.money(last.amount, last.currency))}
        </a>
        <Button onClick={() => overlays.openTopUp(last.amount ?? undefined)}>
          {messages.payment.otherAmount}
        </Button>
      </>
    )
  return (
    <Button variant="primary" busy={isPending} onClick={() => overlays.openTopUp(last?.amount ?? undefined)}>
      {messages.payment.again}
    </Button>
  )
}
