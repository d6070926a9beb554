import { messages } from '../messages.ts'
import { buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Link } from '../router.tsx'

/** An address without a page. */
export default function NotFound() {
  return (
    <Notice tape="none" title={messages.notFound.title}>
      <p>{messages.notFound.text}</p>
      <Link to="/" className={buttonClass('primary')}>
        {messages.goHome}
      </Link>
    </Notice>
  )
}
