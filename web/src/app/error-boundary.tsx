import { Component, type ReactNode } from 'react'
import { reportError } from '../api/client-errors.ts'
import { messages } from '../messages.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.tsx'

const reload = (): void => location.reload()

interface Props {
  readonly children: ReactNode
  /** Rendered after an error, together with a toast; without it a full-page notice is shown. `retry` renders the children again. */
  readonly fallback?: (retry: () => void) => ReactNode
  /** Called after an error, together with the fallback: closes what failed, so that it can be opened again. */
  readonly onError?: () => void
}

/**
 * React error boundary: a render error, or a chunk that does not load, leaves the rest of the app running. "Try again"
 * renders the children again, and imports what could not be loaded again.
 */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override componentDidMount(): void {
    addEventListener('online', this.retry)
  }

  override componentWillUnmount(): void {
    removeEventListener('online', this.retry)
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
    const { fallback, onError } = this.props
    if (fallback !== undefined) toast.alert(messages.somethingWrong)
    if (!onError) return
    onError()
    this.setState({ failed: false })
  }

  private readonly retry = (): void => {
    if (this.state.failed) this.setState({ failed: false })
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback(this.retry)
    return (
      <Notice tape="spilled" title={messages.errorPage.title}>
        <p>{messages.errorPage.text}</p>
        <Button variant="primary" onClick={this.retry}>
          {messages.tryAgain}
        </Button>
        <Button onClick={reload}>{messages.errorPage.reload}</Button>
      </Notice>
    )
  }
}
