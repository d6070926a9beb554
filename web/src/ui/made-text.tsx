import type { Made } from '@prelude/contracts'
import { messages } from '../messages.ts'

/** How a version was made, as its operator says, in one sentence. */
export function MadeText({ made }: { made: Made | null | undefined }) {
  const texts = messages.made
  if (!made)
    return (
      <span>
        {texts.title}: <span>{texts.notStated}</span>
      </span>
    )
  return (
    <span>
      {texts[made.how]}
      {made.with !== null && (
        <>
          {' '}
          (<bdi>{made.with}</bdi>)
        </>
      )}
    </span>
  )
}
