import { queryOptions } from '@tanstack/react-query'
import type { Again, Draft, DraftRemoved } from '@prelude/contracts'
import { lastValues, localStore } from '../browser/storage.ts'
import { call } from './client.ts'
import { OPERATOR, signedIn } from './me.ts'
import { allItems } from './pages.ts'
import { applyEvent } from './query-client.ts'

/** What a music generator made, or makes, of a song, for the operator. */

const keyOf = (songId: string) => [OPERATOR, 'drafts', songId]
const byNumber = (a: Draft, b: Draft): number => b.n - a.n

interface Drafts {
  /** Newest first. */
  readonly items: readonly Draft[]
  readonly generatorSince: number | null
}

export const draftsQuery = (songId: string) =>
  queryOptions({
    queryKey: keyOf(songId),
    queryFn: async ({ signal }): Promise<Drafts> => {
      let generatorSince: number | null = null
      const items = await allItems(async (query) => {
        const target = { params: { id: songId }, query, signal }
        const page = await call('GET /api/operator/songs/:id/drafts', target)
        generatorSince = page.generatorSince
        return page
      })
      return { items: items.toSorted(byNumber), generatorSince }
    },
  })

export function putDraft(draft: Draft | DraftRemoved): void {
  applyEvent<Drafts>({ queryKey: keyOf(draft.songId) }, ({ items, generatorSince }) => {
    const others = items.filter(({ id }) => id !== draft.id)
    return {
      items: draft.state === 'removed' ? others : [draft, ...others].toSorted(byNumber),
      generatorSince,
    }
  })
}

/** The parts that this browser asked for again, by draft: a draft does not say whether it is one. */
const parts = () => lastValues<Again>(localStore, `prelude-parts:${signedIn()?.uid ?? ''}`)

/** Resolves to how many were asked for. Errors: ApiProblem. */
export async function makeDrafts(songId: string, body: { count?: number; again?: Again }): Promise<number> {
  const { items } = await call('POST /api/operator/songs/:id/drafts', { params: { id: songId }, body })
  for (const draft of items) {
    putDraft(draft)
    if (body.again) parts().set(draft.id, body.again)
  }
  return items.length
}

/** Asks for the same as a draft that was lost. Errors: ApiProblem. */
export function remakeDraft({ id, songId }: Draft): Promise<number> {
  const again = parts().get(id)
  return makeDrafts(songId, again ? { again } : { count: 1 })
}

export async function removeDraft({ id, songId }: Draft): Promise<void> {
  await call('DELETE /api/operator/drafts/:id', { params: { id } })
  putDraft({ id, songId, state: 'removed' })
}

export const draftAudio = ({ id }: Draft): string => `/api/operator/drafts/${id}/audio`

/** A file may be large. */
const READ_LIMIT_MS = 600_000

/** Errors: ApiProblem. */
export const readDraft = ({ id }: Draft): Promise<Blob> =>
  call('GET /api/operator/drafts/:id/audio', { params: { id }, timeoutMs: READ_LIMIT_MS })
