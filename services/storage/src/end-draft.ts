import type { Clock, Database, Logger } from '@prelude/platform'
import { change, ended, type SentDraft, type Shown } from './store/drafts.ts'

type End = 'ready' | 'failed' | 'lost'

export interface EndDeps {
  readonly db: Database
  readonly clock: Clock
  readonly logger: Logger
  /** `seconds` since it was asked for. */
  readonly onEnd: (state: End, seconds: number) => void
}

/** Nothing comes of the draft; one that was removed just ends being a task. */
export async function endDraft(
  deps: EndDeps,
  id: string,
  from: readonly SentDraft['state'][],
  { state, error }: { readonly state: 'failed' | 'lost'; readonly error: string },
): Promise<void> {
  const draft = await deps.db.transaction((tx) => change(tx, id, from, ended(state, error)))
  if (!draft) return
  // without the error, in which the generator may repeat the words that it got
  deps.logger.warn({ draft: id, state }, 'a draft ended without a file')
  countEnd(deps, draft)
}

export function countEnd({ clock, onEnd }: EndDeps, { state, createdAt }: Shown): void {
  if (state === 'ready' || state === 'failed' || state === 'lost')
    onEnd(state, (clock.now() - createdAt) / 1000)
}
