import { Link } from 'react-router'
import { house, messages } from '../../messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

export default function PaymentFailed() {
  return (
    <Notice title={messages.paymentFailed}>
      <p>{messages.paymentFailedText}</p>
      <p>
        <a href={`mailto:${house.supportEmail}`}>{house.supportEmail}</a>
      </p>
      <Link to="/" className={buttonClass('primary')}>
        {messages.payment.back}
      </Link>
    </Notice>
  )
}
