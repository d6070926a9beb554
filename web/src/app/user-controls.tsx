import { Coins } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Me } from '@prelude/contracts'
import { useCredits } from '../api/credits.ts'
import { signOut } from '../api/sign-out.ts'
import { credits, messages } from '../messages.ts'
import { Menu } from '../ui/menu.tsx'
import { useOverlays } from '../state/overlays.ts'
import { focusRegion } from '../browser/restore-focus.ts'
import { toast } from '../ui/toast.tsx'
import { navigate } from '../router.tsx'
import { Notices } from './notices.tsx'
import styles from './top-bar.module.css'

async function leave(uid: string): Promise<void> {
  const done = toast.progressAfterDelay(messages.loading)
  await signOut(uid).catch(() => toast.alert(messages.signOutFailed))
  done()
}

/** Opens a page. The focus would stay on the menu's button, where a screen reader does not announce the page. */
function open(path: string): void {
  navigate(path)
  focusRegion(document.querySelector('main'))
}

/** Top bar of a signed-in person: balance, notices, photo, menu. */
export default function UserControls({ me }: { me: Me }) {
  const overlays = useOverlays()
  const name = me.firstName ?? messages.bar.account
  return (
    <>
      <Balance onClick={() => overlays.openTopUp()} />
      <Notices />
      <Photo key={me.photoURL} me={me} />
      <Menu
        label={<span>{name}</span>}
        name={messages.bar.account}
        triggerClass={styles.name}
        entries={[
          ...(me.operator.eligible ? [{ label: messages.bar.desk, onSelect: () => open('/operator') }] : []),
          { label: messages.bar.statement, onSelect: () => open('/statement') },
          { label: messages.bar.yourData, onSelect: () => open('/your-data') },
          { label: messages.preferences.title, onSelect: () => open('/preferences') },
          { label: messages.bar.sessions, onSelect: () => open('/sessions') },
          { label: messages.bar.logout, onSelect: () => void leave(me.uid) },
        ]}
      />
    </>
  )
}

/** The photo, or initials without one or when it does not load. */
function Photo({ me }: { me: Me }) {
  const [hasFailed, setFailed] = useState(false)
  if (me.photoURL === null || hasFailed)
    return (
      <span aria-hidden className={`${styles.photo} ${styles.initials}`}>
        {initials(me.name ?? me.email)}
      </span>
    )
  return (
    <img
      className={styles.photo}
      src={me.photoURL}
      alt={me.name ?? me.email}
      referrerPolicy="no-referrer"
      onError={() => setFailed(true)}
    />
  )
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('')

/** Animates to a new value; jumps to it under reduced motion. */
function Balance({ onClick }: { onClick: () => void }) {
  const shown = useAnimatedNumber(useCredits())
  return (
    <button type="button" className={styles.balance} onClick={onClick}>
      {shown === undefined ? (
        messages.bar.balanceUnknown
      ) : (
        <>
          <Coins aria-hidden size={14} className={`soft ${styles.coins}`} />
          {credits(shown)} <span className={`soft ${styles.unit}`}>{messages.bar.credits(shown)}</span>
        </>
      )}
    </button>
  )
}

const ANIMATION_MS = 400

function useAnimatedNumber(target: number | undefined): number | undefined {
  const [shown, setShown] = useState(target)
  useEffect(() => {
    const from = shown
    if (
      target === undefined ||
      from === undefined ||
      from === target ||
      matchMedia('(prefers-reduced-motion: reduce)').matches
    ) {
      setShown(target)
      return undefined
    }
    const start = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const progress = Math.min(1, (now - start) / ANIMATION_MS)
      setShown(progress === 1 ? target : from + (target - from) * (1 - (1 - progress) ** 3))
      if (progress < 1) frame = requestAnimationFrame(step)
    })
    // a tab in the background gets few frames, or none
    const end = setTimeout(() => {
      cancelAnimationFrame(frame)
      setShown(target)
    }, ANIMATION_MS)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(end)
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- starts from the value shown when the target changes; a frame must not restart it
  }, [target])
  return shown
}
