import { TriangleAlert } from 'lucide-react'
import styles from './refusal.module.css'

/** What was wrong with what a form was given. Key it by its time, so that the same sentence is announced again. */
export const Refusal = ({ text }: { text: string }) => (
  <p role="alert" className={styles.refusal}>
    <TriangleAlert aria-hidden size={18} />
    {text}
  </p>
)
