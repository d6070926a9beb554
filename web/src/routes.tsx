import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { Route, Routes, useLocation, useNavigate } from 'react-router'
import type { Me } from '@prelude/contracts'
import { followLive, onConnection } from './api/live.ts'
import { useMe, wasSignedIn } from './api/queries.ts'
import { type Open, OpenContext, type PlayerChoice } from './app/open.ts'
import { Footer } from './app/footer.tsx'
import { TopBar } from './app/top-bar.tsx'
import { Landing } from './features/landing/landing.tsx'
import { messages, useLanguage } from './messages.ts'
import { Away } from './offline/away.tsx'
import { Broken } from './offline/broken.tsx'
import { isInstalled, keepShell } from './offline/keep-shell.ts'
import { Toasts } from './ui/toast.tsx'
import { Wait } from './ui/wait.tsx'
import styles from './routes.module.css'

const Home = lazy(() => import('./app/home.tsx'))
const TopUpDialog = lazy(() => import('./features/top-up/top-up-dialog.tsx'))
const Player = lazy(() => import('./features/player/player.tsx'))
const PaymentSuccess = lazy(() => import('./features/payments/payment-success.tsx'))
const PaymentFailed = lazy(() => import('./features/payments/payment-failed.tsx'))
const Statement = lazy(() => import('./features/payments/statement.tsx'))
const YourData = lazy(() => import('./features/account/your-data.tsx'))
const OpsPage = lazy(() => import('./features/operator/ops/ops-page.tsx'))
// the build takes it out with the condition
const Gallery = import.meta.env.DEV ? lazy(() => import('./gallery/gallery.tsx')) : null
const NotFound = lazy(() => import('./features/landing/not-found.tsx'))

export function App() {
  const { me, state, isAway, retry } = useMe()
  useLanguage()
  // what a person had here before is not shown to be a visitor's
  const isUnknown = state === 'loading' && wasSignedIn()
  const waiting = isAway ? <Away onRetry={retry} /> : <Wait />
  // another person starts with nothing open
  return <Shell key={me?.uid ?? ''} me={me} waiting={isUnknown ? waiting : null} />
}

/** `waiting` is shown in place of what depends on who is here, while that is not known. */
function Shell({ me, waiting }: { me: Me | null; waiting: ReactNode }) {
  // the brand's landing view lasts until another link, a reload, or another person
  const [landing] = useState(() => ({ landing: crypto.randomUUID() }))
  const { pathname, state } = useLocation()
  const showLanding = (state as typeof landing | null)?.landing === landing.landing
  const navigate = useNavigate()
  const [topUp, setTopUp] = useState<{ amount: number | undefined } | null>(null)
  const [player, setPlayer] = useState<PlayerChoice | null>(null)
  const open = useMemo<Open>(
    () => ({ topUp: (amount) => setTopUp({ amount }), player: (choice) => setPlayer(choice) }),
    [],
  )
  const uid = me?.uid
  useEffect(() => (uid === undefined ? undefined : followLive()), [uid])
  useEffect(() => {
    if (uid !== undefined || isInstalled()) keepShell()
  }, [uid])
  const main =
    me && !showLanding ? (
      <Home me={me} />
    ) : (
      <Landing signedIn={me !== null} onHome={() => void navigate('/')} />
    )
  return (
    <OpenContext value={open}>
      <TopBar brandState={landing} />
      <Connection following={uid !== undefined} />
      <main className={styles.main}>
        <Broken key={pathname}>
          <Suspense fallback={<Wait />}>
            <Routes>
              <Route path="/" element={waiting ?? main} />
              <Route path="/payment-success" element={<PaymentSuccess />} />
              <Route path="/payment-failed" element={<PaymentFailed />} />
              <Route path="/statement" element={waiting ?? <Statement signedIn={me !== null} />} />
              <Route path="/your-data" element={waiting ?? <YourData me={me} />} />
              <Route path="/ops" element={waiting ?? <OpsPage me={me} />} />
              {Gallery && <Route path="/ui" element={<Gallery />} />}
              <Route path="*" element={<NotFound />} />
            </Routes>
          </Suspense>
        </Broken>
      </main>
      <Footer />
      <Broken instead={null}>
        <Suspense fallback={<Wait as="over" />}>
          {topUp && <TopUpDialog amount={topUp.amount} onClose={() => setTopUp(null)} />}
          {player && <Player choice={player} onChoose={setPlayer} onClose={() => setPlayer(null)} />}
        </Suspense>
      </Broken>
      <Toasts />
    </OpenContext>
  )
}

const PATIENCE_MS = 2_000

/** A hint while the live stream is away for longer than a blink. */
function Connection({ following }: { following: boolean }) {
  const [lost, setLost] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = onConnection((up) => {
      clearTimeout(timer)
      if (up) setLost(false)
      else timer = setTimeout(() => setLost(true), PATIENCE_MS)
    })
    return () => {
      clearTimeout(timer)
      leave()
    }
  }, [])
  return following && lost ? (
    <p role="status" className={styles.offline}>
      {messages.offline}
    </p>
  ) : null
}
