import type { Song } from '@prelude/contracts'
import { vi } from 'vitest'

/** The API as the app reaches it: each request is held until the test answers it. */
export interface HeldApi {
  /** Paths in the order of the requests. */
  readonly paths: readonly string[]
  /** Answers the request at this index. */
  answer(index: number, body: unknown, status?: number): void
}

export function heldApi(): HeldApi {
  const requests: { path: string; answer: (response: Response) => void }[] = []
  vi.stubGlobal(
    'fetch',
    (path: string) => new Promise<Response>((answer) => void requests.push({ path, answer })),
  )
  return {
    get paths() {
      return requests.map(({ path }) => path)
    },
    answer: (index, body, status = 200) => {
      const request = requests[index]
      if (!request) throw new Error(`there is no request ${index}`)
      request.answer(status === 204 ? new Response(null, { status }) : Response.json(body, { status }))
    },
  }
}

/** `n` is its creation time: a higher number is newer. */
export const song = (n: number, rest: Partial<Song> = {}): Song =>
  ({
    id: `id-${n}`,
    createdAt: n,
    revision: 1,
    status: 'pending',
    lyrics: 'la',
    style: 'folk',
    ...rest,
  }) as Song
