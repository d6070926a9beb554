import type { ReactNode } from 'react'
import { messages } from '../messages.ts'
import { toast } from './toast.tsx'

/** A link to a file for the person's disk. Browsers show nothing until the server has made it: this says that it comes. */
export const SaveLink = (props: { href: string; className: string; children: ReactNode }) => (
  <a download href={props.href} className={props.className} onClick={announce}>
    {props.children}
  </a>
)

const announce = (): void => void toast.status(messages.downloadBegins)
