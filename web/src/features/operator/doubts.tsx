import { TriangleAlert } from 'lucide-react'
import { messages } from '../../messages.ts'
import { type Checks, useChecks } from './check-files.ts'
import type { Files } from './delivery.ts'
import styles from './operator.module.css'

/** No song is shorter. */
const SHORT_MS = 30_000

/** What is hardly meant. The operator decides: files are delivered all the same. */
export function doubtsAbout({ measures, areSame }: Checks): string[] {
  const { operator } = messages
  return [
    ...(areSame ? [operator.sameFiles] : []),
    ...measures.flatMap((one, n) =>
      one && one.durationMs < SHORT_MS ? [operator.shortFile(messages.version(n + 1))] : [],
    ),
  ]
}

export const Doubts = ({ checks }: { checks: Checks }) =>
  doubtsAbout(checks).map((doubt) => (
    <p key={doubt} className={styles.low}>
      <TriangleAlert aria-hidden size={16} /> {doubt}
    </p>
  ))

/** The same beside the inputs, for forms that do not ask before they send. */
export function FileDoubts({ files }: { files: Files }) {
  const checks = useChecks(files)
  return (
    <div role="status" className={doubtsAbout(checks).length === 0 ? 'visually-hidden' : undefined}>
      <Doubts checks={checks} />
    </div>
  )
}
