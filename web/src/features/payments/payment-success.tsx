import { useQuery } from '@tanstack/react-query'
import type { CheckoutSession } from '@prelude/contracts'
import { errorMessage } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { checkoutQuery } from '../../api/payments.ts'
import { signIn } from '../../api/session.ts'
import { useOverlays } from '../../state/overlays.ts'
import { messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Link, useLocation } from '../../router.tsx'
import styles from './payment.module.css'

const POLL_MS = 1_500
/** After a minute of them. */
const SLOW_POLL_MS = 15_000
const MOST_QUICK_POLLS = 40

/** The page after a checkout. It only polls: credits are added by the provider's webhook. */
export default function PaymentSuccess() {
  const sessionId = new URLSearchParams(useLocation().search).get('session_id')
  const { state } = useMe()
  const session = useQuery({
    ...checkoutQuery(sessionId),
    enabled: sessionId !== null && state === 'signed-in',
    // live updates invalidate it too, so that a payment which takes days needs no polling
    refetchInterval: ({ state: { data, error, dataUpdateCount } }) => {
      if (isSettled(data) || error) return false
      return dataUpdateCount < MOST_QUICK_POLLS ? POLL_MS : SLOW_POLL_MS
    },
  })
  const overlays = useOverlays()
  const { status } = session.data ?? {}
  const hasFailed = status === 'failed' || status === 'expired'
  const isSignedOut = sessionId !== null && state === 'signed-out'
  return (
    <Notice
      tape={hasFailed ? 'spilled' : 'full'}
      title={hasFailed ? messages.paymentFailed : messages.paymentSuccessful}
    >
      {sessionId !== null && (
        <p role="status">
          {isSignedOut ? (
            messages.signInFirst
          ) : session.error ? (
            errorMessage(session.error)
          ) : (
            <Progress session={session.data} />
          )}
        </p>
      )}
      <div className={styles.ways}>
        {hasFailed && (
          <Button variant="primary" onClick={() => overlays.openTopUp(Number(session.data?.metadata.amount))}>
            {messages.payment.again}
          </Button>
        )}
        {session.error && !isSignedOut && (
          <Button onClick={() => void session.refetch()}>{messages.tryAgain}</Button>
        )}
        {isSignedOut && (
          <Button variant="primary" onClick={signIn}>
            {messages.statement.signIn}
          </Button>
        )}
        <Link to="/" className={buttonClass(hasFailed || isSignedOut ? 'outline' : 'primary')}>
          {messages.goHome}
        </Link>
      </div>
    </Notice>
  )
}

const isSettled = (session: CheckoutSession | undefined): boolean =>
  session !== undefined && (session.credited || ['failed', 'expired', 'processing'].includes(session.status))

function Progress({ session }: { session: CheckoutSession | undefined }) {
  if (session?.credited) return messages.payment.added(Number(session.metadata.amount))
  if (session?.status === 'failed' || session?.status === 'expired') return messages.payment.failed
  if (session?.status === 'processing') return messages.payment.processing
  return (
    <>
      <Reel /> {messages.payment.confirming}
    </>
  )
}
