import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Me } from '@prelude/contracts'
import { useCredits } from '../api/queries.ts'
import { signOut } from '../api/session.ts'
import { credits, messages } from '../messages.ts'
import { Menu } from '../ui/menu.tsx'
import { useOpen } from './open.ts'
import styles from './top-bar.module.css'

/** What a signed-in person has in the top bar: balance, photo, first name. */
export default function Person({ me }: { me: Me }) {
  const open = useOpen()
  const navigate = useNavigate()
  const name = me.firstName ?? messages.bar.account
  return (
    <>
      <Balance onClick={() => open.topUp()} />
      <Photo key={me.photoURL} me={me} />
      <Menu
        label={<span>{name}</span>}
        triggerClass={styles.name}
        entries={[
          { label: messages.bar.statement, onSelect: () => void navigate('/statement') },
          { label: messages.bar.yourData, onSelect: () => void navigate('/your-data') },
          { label: messages.bar.logout, onSelect: () => void signOut() },
        ]}
      />
    </>
  )
}

/** Initials where there is no photo, or where it does not load. */
function Photo({ me }: { me: Me }) {
  const [isBroken, setBroken] = useState(false)
  if (me.photoURL === null || isBroken)
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
      onError={() => setBroken(true)}
    />
  )
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('')

/** Counts to its new value; at once under reduced motion. */
function Balance({ onClick }: { onClick: () => void }) {
  const shown = useCounted(useCredits())
  return (
    <button type="button" className={styles.balance} onClick={onClick}>
      {shown === undefined ? (
        messages.bar.balanceUnknown
      ) : (
        <>
          {credits(shown)} <span className={styles.unit}>{messages.bar.credits(shown)}</span>
        </>
      )}
    </button>
  )
}

const COUNT_MS = 400

function useCounted(target: number | undefined): number | undefined {
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
      const part = Math.min(1, (now - start) / COUNT_MS)
      setShown(part === 1 ? target : from + (target - from) * (1 - (1 - part) ** 3))
      if (part < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
    // counting starts from what is shown when the target changes, not again with every step
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [target])
  return shown
}
