import { TriangleAlert } from 'lucide-react'
import styles from './form-error.module.css'

/** Validation or server error of a form. Give it a new `key` for each error, so that screen readers announce a repeated one. */
export const FormError = ({ text }: { text: string }) => (
  <p role="alert" className={`line bad ${styles.error}`}>
    <TriangleAlert aria-hidden size={18} />
    {text}
  </p>
)
