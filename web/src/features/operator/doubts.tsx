import { TriangleAlert } from 'lucide-react'
import { messages } from '../../messages.ts'
import { type Checks, useChecks } from './check-files.ts'
import type { Files } from './delivery.ts'

/** No song is shorter. */
export const SHORT_MS = 30_000

/** What is hardly meant. The operator decides: files are delivered all the same. */
function doubtsAbout({ measures, areUnreadable, areSame, areRare }: Checks): string[] {
  const { operator } = messages
  const about = (n: 0 | 1): (string | false)[] => {
    const name = messages.version(n + 1)
    return [
      (measures[n]?.durationMs ?? SHORT_MS) < SHORT_MS && operator.shortFile(name),
      areUnreadable[n] && messages.desk.unreadable(name),
      areRare[n] === true && messages.desk.rareCoding(name),
    ]
  }
  return [areSame === true && operator.sameFiles, ...about(0), ...about(1)].filter((doubt) => doubt !== false)
}

export const Doubts = ({ checks, as: Element = 'p' }: { checks: Checks; as?: 'p' | 'li' }) =>
  doubtsAbout(checks).map((doubt) => (
    <Element key={doubt} className="bad">
      <TriangleAlert aria-hidden size={16} /> {doubt}
    </Element>
  ))

/** The same beside the button of forms that do not ask before they send. */
export function FileDoubts({ files }: { files: Files }) {
  const checks = useChecks(files)
  return (
    <div role="status" className={doubtsAbout(checks).length === 0 ? 'visually-hidden' : undefined}>
      <Doubts checks={checks} />
    </div>
  )
}
