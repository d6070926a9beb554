import { Component, type ReactNode } from 'react'
import { messages } from '../messages.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.tsx'

const reload = (): void => location.reload()

interface Props {
  readonly children: ReactNode
  /** What takes the place of a part that failed, where a whole page that says so would be too much. */
  readonly instead?: ReactNode
}

/** Where a part of the app fails, or cannot be read, the rest goes on. */
export class Broken extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(): void {
    if (this.props.instead !== undefined) toast.alert(messages.somethingWrong)
    // a part that could not be read for want of a network
    if (!navigator.onLine) addEventListener('online', reload, { once: true })
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    if (this.props.instead !== undefined) return this.props.instead
    return (
      <Notice tape="spilled" title={messages.broken.title}>
        <p>{messages.broken.text}</p>
        <Button variant="primary" onClick={reload}>
          {messages.broken.reload}
        </Button>
      </Notice>
    )
  }
}
