import { usePerson } from '../../api/operator.ts'
import type { PersonAccount } from '@prelude/contracts'
import { messages } from '../../messages.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Strong } from '../../ui/strong.tsx'

/** Asks once more before an action on a person, with lines that depend on their balance and debt. */
export function ConfirmAboutPerson(
  props: Omit<Parameters<typeof ConfirmDialog>[0], 'question' | 'children' | 'isLoading'> & {
    find: readonly [by: 'uid' | 'email', value: string]
    /** It can be done although nobody is found, as for an account that is closed. */
    isPossibleWithoutPerson?: boolean
    /** `person` is null until loaded, and when there is none. */
    question: (person: PersonAccount | null) => string
    /** Texts between asterisks are rendered strong. */
    lines: (person: PersonAccount) => readonly (string | false)[]
  },
) {
  const { find, question, lines, isPossibleWithoutPerson = false, ...rest } = props
  const found = usePerson(...find)
  const { data } = found
  const isKnown = data === null ? isPossibleWithoutPerson : data !== undefined
  return (
    <ConfirmDialog {...rest} question={question(data ?? null)} isLoading={!isKnown}>
      {data === undefined && <QueryState query={found} variant="inline" />}
      {data === null && <p>{messages.operator.unknownPerson}</p>}
      {data &&
        lines(data).map(
          (line) =>
            line !== false && (
              <p key={line}>
                <Strong text={line} />
              </p>
            ),
        )}
    </ConfirmDialog>
  )
}
