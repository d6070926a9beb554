import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { messages } from '../messages.ts'
import styles from './copy-button.module.css'
import { afterTick } from '../state/timing.ts'
import { toast } from './toast.tsx'

/** `isCopied` for 1.5 s after the text was copied. */
export function useCopy(text: string) {
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return undefined
    return afterTick(() => setCopied(0))
  }, [copied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(Date.now()),
      () => toast.alert(messages.copyFailed),
    )
  }
  return { isCopied: copied > 0, copy }
}

/** Copies the text; then shows a tick and the tooltip `done`, which is placed in the nearest positioned ancestor. */
export function CopyButton({ label, text, done }: { label: string; text: string; done: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <span className={styles.copy}>
      <button type="button" aria-label={label} onClick={copy}>
        {isCopied ? <Check aria-hidden size={15} /> : <Copy aria-hidden size={15} />}
      </button>
      {/* there before its text: a screen reader announces what is put into a region */}
      <span role="status">{isCopied && <span className={styles.tip}>{done}</span>}</span>
    </span>
  )
}
