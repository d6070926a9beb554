import type { ReactNode } from 'react'
import { messages } from '../messages.ts'
import { toast } from './toast.tsx'

/** A download link with a toast, because browsers show nothing until the server starts to send the file. */
export const SaveLink = (props: {
  href: string
  className: string
  /** The accessible name, where the text alone is that of several links. */
  label?: string
  children: ReactNode
}) => (
  <a download href={props.href} className={props.className} aria-label={props.label} onClick={announce}>
    {props.children}
  </a>
)

const announce = (): void => toast.status(messages.downloadBegins)
