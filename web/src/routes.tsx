import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { type LegalPage, type Me, webRoute, type WebRoute } from '@prelude/contracts'
import { useMe, wasSignedIn } from './api/me.ts'
import { keepLanguage } from './api/preferences.ts'
import { takeSignInFailure } from './api/session.ts'
import { playTake, stopSongs, stopTakes } from './audio/take.ts'
import { Footer } from './app/footer.tsx'
import { BalancePlaceholder, TopBar } from './app/top-bar.tsx'
import { Landing } from './features/landing/landing.tsx'
import { OPERATOR_CATALOGUES, PERSON_CATALOGUES } from './languages.ts'
import { type Catalogues, loadPageTexts, messages, siteConfig, useLanguage } from './messages.ts'
import { Unreachable } from './offline/unreachable.tsx'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { isInstalled, registerServiceWorker } from './offline/service-worker.ts'
import { type Overlays, OverlaysContext, type PlayerChoice } from './state/overlays.ts'
import { Background } from './state/background.ts'
import { Button } from './ui/button.tsx'
import { lazyComponent, type Load } from './ui/lazy-component.tsx'
import { Link, navigate, useLocation } from './router.tsx'
import { forgetMessages, toast, Toasts } from './ui/toast.tsx'
import { Loading } from './ui/loading.tsx'
import { announcedTitle } from './state/title.ts'
import styles from './routes.module.css'

/** A page, once its own texts are there too. */
const withTexts =
  <T,>(load: () => Promise<T>, ...texts: readonly Catalogues[]) =>
  async (): Promise<T> => {
    const [loaded] = await Promise.all([load(), ...texts.map(loadPageTexts)])
    return loaded
  }

const page = <P extends object>(load: Load<P>, ...texts: readonly Catalogues[]) =>
  lazyComponent(withTexts(load, ...texts), <Loading />)
const personPage = <P extends object>(load: Load<P>) => page(load, PERSON_CATALOGUES)
const personOverlay = <P extends object>(load: Load<P>) =>
  lazyComponent(withTexts(load, PERSON_CATALOGUES), <Loading variant="overlay" />)
const operatorPage = <P extends object>(load: Load<P>) => page(load, PERSON_CATALOGUES, OPERATOR_CATALOGUES)

const UserControls = lazyComponent(
  withTexts(() => import('./app/user-controls.tsx'), PERSON_CATALOGUES),
  <BalancePlaceholder />,
)
const LiveUpdates = lazyComponent(withTexts(() => import('./app/live-updates.tsx'), PERSON_CATALOGUES))
const Home = personPage(() => import('./app/home.tsx'))
const TopUpDialog = personOverlay(() => import('./features/top-up/top-up-dialog.tsx'))
const Player = personOverlay(() => import('./features/player/player.tsx'))
const PaymentSuccess = personPage(() => import('./features/payments/payment-success.tsx'))
const PaymentFailed = personPage(() => import('./features/payments/payment-failed.tsx'))
const Statement = personPage(() => import('./features/payments/statement.tsx'))
const YourData = personPage(() => import('./features/account/your-data.tsx'))
const Preferences = personPage(() => import('./features/account/preferences.tsx'))
const Sessions = personPage(() => import('./features/account/sessions.tsx'))
const VerifyPage = page(() => import('./features/licence/verify-page.tsx'))
const LegalTextPage = page(() => import('./features/legal/legal-text-page.tsx'))
const SongPage = personPage(() => import('./features/album/song-page.tsx'))
const OpsPage = operatorPage(() => import('./features/operator/ops/ops-page.tsx'))
const OperatorPanel = operatorPage(() => import('./features/operator/operator.tsx'))
const MoneyPage = operatorPage(() => import('./features/operator/money-page.tsx'))
const DeskPage = operatorPage(() => import('./features/operator/desk/desk-page.tsx'))
// removed from production builds with the condition
const Gallery = import.meta.env.DEV ? operatorPage(() => import('./gallery/gallery.tsx')) : null
const NotFound = page(() => import('./app/not-found.tsx'))

/** A page that is not set is not there. */
const legalPage = (page: LegalPage): ReactNode =>
  siteConfig.legalPages.includes(page) ? <LegalTextPage page={page} /> : <NotFound />

const tryAgain = (retry: () => void) => (
  <p role="status" className={`row ${styles.failed}`}>
    {messages.somethingWrong}{' '}
    <Button small onClick={retry}>
      {messages.tryAgain}
    </Button>
  </p>
)

const linkTo = (path: string, text: string) => <Link to={path}>{text}</Link>

export function App() {
  const { me, state, isUnreachable, retry } = useMe()
  useLanguage()
  useEffect(() => {
    const failure = takeSignInFailure()
    if (failure !== null) toast.alert(failure)
  }, [])
  const placeholder = isUnreachable ? <Unreachable onRetry={retry} /> : <Loading />
  return (
    <>
      {/* the key resets all state when another person signs in */}
      <Shell key={me?.uid ?? ''} me={me} placeholder={state === 'loading' ? placeholder : null} />
      <PageAnnouncement />
      <Toasts />
    </>
  )
}

/** Names the page that was opened to screen readers: nothing else of a page that a link opens does. */
const PageAnnouncement = () => (
  <p role="status" className="visually-hidden">
    {announcedTitle.use()}
  </p>
)

/** Ends the sound of a person and forgets their messages, which the next one of this browser must not get. */
function forgetPerson(): void {
  stopSongs()
  forgetMessages()
}

/** `placeholder` replaces pages that depend on the person until /api/me has answered. */
function Shell({ me, placeholder }: { me: Me | null; placeholder: ReactNode }) {
  // the landing view opened by the brand link lasts until the next navigation or reload
  const [landing] = useState(() => ({ landing: crypto.randomUUID() }))
  const { pathname, state } = useLocation()
  const showLanding = (state as typeof landing | null)?.landing === landing.landing
  const [topUp, setTopUp] = useState<{ amount: number | undefined } | null>(null)
  const [player, setPlayer] = useState<PlayerChoice | null>(null)
  const overlays = useMemo<Overlays>(
    () => ({
      openTopUp: (amount) => setTopUp({ amount }),
      openPlayer: (choice) => {
        playTake(choice)
        setPlayer(choice)
      },
    }),
    [],
  )
  const closePlayer = (): void => {
    stopTakes()
    setPlayer(null)
  }
  useEffect(() => forgetPerson, [])
  const uid = me?.uid
  useEffect(() => {
    if (uid !== undefined || isInstalled()) registerServiceWorker()
  }, [uid])
  const pages: Record<WebRoute, ReactNode> = {
    '/':
      // a visitor's first paint is the landing page
      placeholder && wasSignedIn() ? (
        placeholder
      ) : me && !showLanding ? (
        <Home me={me} panel={me.operator.eligible && <OperatorPanel unlocked={me.operator.unlocked} />} />
      ) : (
        <Landing signedIn={me !== null} onHome={() => navigate('/')} />
      ),
    '/payment-success': <PaymentSuccess />,
    '/payment-failed': <PaymentFailed />,
    '/statement': placeholder ?? <Statement signedIn={me !== null} />,
    '/your-data': placeholder ?? <YourData me={me} />,
    '/preferences': placeholder ?? <Preferences me={me} />,
    '/sessions': placeholder ?? <Sessions signedIn={me !== null} />,
    '/songs/:id': placeholder ?? <SongPage me={me} songId={pathname.split('/')[2] ?? ''} />,
    '/verify/:id': <VerifyPage id={pathname.split('/')[2] ?? ''} />,
    '/terms': legalPage('terms'),
    '/privacy': legalPage('privacy'),
    '/imprint': legalPage('imprint'),
    '/operator': placeholder ?? <DeskPage me={me} />,
    '/operator/money': placeholder ?? <MoneyPage me={me} />,
    '/ops': placeholder ?? <OpsPage me={me} />,
    '/s/:token': <NotFound />, // never here: the server answers it with share.html
    '*': Gallery && pathname === '/ui' ? <Gallery /> : <NotFound />,
  }
  return (
    <OverlaysContext value={overlays}>
      <TopBar brandState={landing} controls={me && <UserControls me={me} />} />
      {uid !== undefined && (
        <ErrorBoundary fallback={tryAgain}>
          <LiveUpdates uid={uid} />
        </ErrorBoundary>
      )}
      <main className={styles.main}>
        <ErrorBoundary key={`${pathname} ${showLanding}`}>{pages[webRoute(pathname)]}</ErrorBoundary>
      </main>
      <Footer link={linkTo} onChoose={keepLanguage} />
      <ErrorBoundary fallback={tryAgain}>
        <Background />
      </ErrorBoundary>
      {/* a failure of one costs the other nothing, and closes what failed, so that it can be opened again */}
      <ErrorBoundary fallback={() => null} onError={() => setTopUp(null)}>
        {topUp && <TopUpDialog amount={topUp.amount} onClose={() => setTopUp(null)} />}
      </ErrorBoundary>
      <ErrorBoundary fallback={() => null} onError={closePlayer}>
        {player && <Player choice={player} onChoose={overlays.openPlayer} onClose={closePlayer} />}
      </ErrorBoundary>
    </OverlaysContext>
  )
}
