import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import type { CheckoutSession } from '@prelude/contracts'
import { api, ApiProblem, sentenceOf } from '../../api/client.ts'
import { signIn } from '../../api/session.ts'
import { useOpen } from '../../app/open.ts'
import { messages } from '../../messages.ts'
import { Reel } from '../../ui/brand.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './payment.module.css'

const POLL_MS = 1_500

/** Only reads: credits come from the provider's word to the server. */
export default function PaymentSuccess() {
  const sessionId = useSearchParams()[0].get('session_id')
  const session = useQuery({
    queryKey: ['checkout-session', sessionId],
    queryFn: () =>
      api.get<CheckoutSession>(`/api/get-session?session_id=${encodeURIComponent(sessionId ?? '')}`),
    enabled: sessionId !== null,
    refetchInterval: ({ state }) => (state.data?.credited === true || state.error ? false : POLL_MS),
  })
  const open = useOpen()
  const { status } = session.data ?? {}
  const isLost = status === 'failed' || status === 'expired'
  const isUnknown = session.error instanceof ApiProblem && session.error.code === 'not_signed_in'
  return (
    <Notice
      tape={isLost ? 'spilled' : 'full'}
      title={isLost ? messages.paymentFailed : messages.paymentSuccessful}
    >
      {sessionId !== null && (
        <p role="status">{session.error ? sentenceOf(session.error) : <Progress session={session.data} />}</p>
      )}
      <div className={styles.ways}>
        {isLost && (
          <Button variant="primary" onClick={() => open.topUp(Number(session.data?.metadata.amount))}>
            {messages.payment.again}
          </Button>
        )}
        {isUnknown && (
          <Button variant="primary" onClick={signIn}>
            {messages.statement.signIn}
          </Button>
        )}
        <Link to="/" className={buttonClass(isLost || isUnknown ? 'outline' : 'primary')}>
          {messages.goHome}
        </Link>
      </div>
    </Notice>
  )
}

function Progress({ session }: { session: CheckoutSession | undefined }) {
  if (session?.credited) return messages.payment.added(Number(session.metadata.amount))
  if (session?.status === 'failed' || session?.status === 'expired') return messages.payment.lost
  if (session?.status === 'processing') return messages.payment.processing
  return (
    <>
      <Reel /> {messages.payment.confirming}
    </>
  )
}
