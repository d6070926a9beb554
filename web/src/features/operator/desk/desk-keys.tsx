import { Keyboard } from 'lucide-react'
import { useEffect, useState } from 'react'
import { messages } from '../../../messages.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from './desk.module.css'

/** Whether keys that are pressed now are written somewhere. */
export const isTyping = (): boolean =>
  document.activeElement?.matches(
    'textarea, select, input:not([type=file], [type=checkbox], [type=range])',
  ) === true

/** Presses the control that names the key in aria-keyshortcuts, or focuses it if it is a field. */
function follow(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.key.length !== 1 || isTyping() || document.querySelector('[role=dialog]')) return
  const control = [...document.querySelectorAll<HTMLElement>('[aria-keyshortcuts]')].find(
    (one) => one.getAttribute('aria-keyshortcuts') === event.key,
  )
  if (!control) return
  event.preventDefault()
  if (control.matches('input')) control.focus()
  else control.click()
}

/** The desk's keys, and a button that shows them. */
export function Keys() {
  const { desk } = messages
  const [isOpen, setOpen] = useState(false)
  const keys = [
    ['↑ ↓', desk.moveInList],
    ['Enter', desk.openSong],
    ['/', desk.search],
    ['n', desk.following],
    ['d', desk.askToDeliver],
    ['?', desk.keys],
  ] as const
  useEffect(() => {
    addEventListener('keydown', follow)
    return () => removeEventListener('keydown', follow)
  }, [])
  return (
    <>
      <span className={styles.shortcuts}>
        <IconButton label={desk.keys} aria-keyshortcuts="?" onClick={() => setOpen(true)}>
          <Keyboard aria-hidden size={20} />
        </IconButton>
      </span>
      <Dialog title={desk.keys} open={isOpen} onOpenChange={setOpen}>
        <dl className={`stack gap-2 ${styles.keys}`}>
          {keys.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
