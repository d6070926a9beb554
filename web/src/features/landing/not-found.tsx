import { Link } from 'react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

export default function NotFound() {
  return (
    <Notice title="Page not found">
      <p>There is nothing at this address. The song must be somewhere else.</p>
      <Link to="/" className={buttonClass('primary')}>
        Go Home
      </Link>
    </Notice>
  )
}
