import { Component, type ReactNode } from 'react'
import { messages } from '../messages.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.tsx'

const reload = (): void => location.reload()

interface Props {
  readonly children: ReactNode
  /** Rendered after an error, together with a toast; without it a full-page notice is shown. */
  readonly fallback?: ReactNode
}

/** React error boundary: a render error, or a chunk that does not load, leaves the rest of the app running. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(): void {
    if (this.props.fallback !== undefined) toast.alert(messages.somethingWrong)
    // offline: the chunk could not be loaded
    if (!navigator.onLine) addEventListener('online', reload, { once: true })
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback
    return (
      <Notice tape="spilled" title={messages.errorPage.title}>
        <p>{messages.errorPage.text}</p>
        <Button variant="primary" onClick={reload}>
          {messages.errorPage.reload}
        </Button>
      </Notice>
    )
  }
}
