import { useQuery } from '@tanstack/react-query'
import { type CheckoutSession, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { errorMessage } from '../../api/client.ts'
import { useCredits } from '../../api/credits.ts'
import { useMe } from '../../api/me.ts'
import { checkoutQuery, usePayments } from '../../api/payments.ts'
import { signIn } from '../../api/session.ts'
import { useChargedSince } from '../../api/songs.ts'
import { useOverlays } from '../../state/overlays.ts'
import { format, messages } from '../../messages.ts'
import { songName } from '../../text/song-name.ts'
import { ALBUM_STYLE_POINTS, truncate } from '../../text/truncate.ts'
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
      <div className="row">
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
  if (session?.credited) return <Added amount={Number(session.metadata.amount)} />
  if (session?.status === 'failed' || session?.status === 'expired') return messages.payment.failed
  if (session?.status === 'processing') return messages.payment.processing
  return (
    <>
      <Reel /> {messages.payment.confirming}
    </>
  )
}

/** The songs that had waited for these credits, and the balance that they leave. */
function Added({ amount }: { amount: number }) {
  const balance = useCredits()
  const { payments } = usePayments()
  const paidAt = payments.find(({ status, credits }) => status === 'paid' && credits === amount)?.createdAt
  const songs = useChargedSince(paidAt)
  const spent = songs.reduce((sum, { price }) => sum + (price ?? SONG_PRICE_CREDITS), 0)
  return (
    <>
      {songs.map((song) => (
        <span key={song.id} className={styles.song}>
          <strong>{messages.payment.cooking}</strong>{' '}
          {song.promisedAt !== null && `${messages.promise.readyBy(format.weekday(song.promisedAt))} · `}
          <Link to={`/songs/${song.id}`} dir="auto">
            {truncate(songName(song), ALBUM_STYLE_POINTS)}
          </Link>
        </span>
      ))}
      {messages.payment.added(amount)}
      {spent > 0 && balance !== undefined && ` ${messages.payment.spent(spent, balance)}`}
    </>
  )
}
