import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Song, Waveform } from '@prelude/contracts'
import { ApiProblem, call, isTemporary } from '../api/client.ts'
import { LASTING } from '../api/query-client.ts'
import { fileOf } from './take.ts'
import { versionsOf } from './version-switch.tsx'

const NOT_ANALYSED = 404
const ANALYSIS_DELAY_MS = 4_000
/** With the delays between them they take about a minute. A later analysis comes with a new revision of the song. */
const MAX_RETRIES = 15

/** Of the newest take if none is given. A version that the song does not have is not asked for. */
export function useWaveform(song: Song, version: 1 | 2, given?: number) {
  const { id } = fileOf(song, version, given)
  const target = { params: { id: song.id, n: version }, query: { take: given } }
  return useQuery({
    // a new revision may mean a finished analysis
    ...waveformQuery(id, song.revision, song.updatedAt ?? 0, (signal) =>
      call('GET /api/songs/:id/versions/:n/waveform', { ...target, signal, lenient: true }),
    ),
    enabled: versionsOf(song).includes(version),
  })
}

/** Of the file with this id, once it is analysed; `read` answers undefined until then. */
export const waveformQuery = (
  file: string,
  revision: number,
  updatedAt: number,
  read: (signal: AbortSignal) => Promise<Waveform | undefined>,
) =>
  queryOptions({
    queryKey: ['waveform', file, revision],
    queryFn: async ({ signal }) => {
      await waitForAnalysis(updatedAt)
      const wave = await read(signal)
      if (wave === undefined) throw new ApiProblem(NOT_ANALYSED, 'waveform_not_ready', '')
      return wave
    },
    retry: (count, error) =>
      count < MAX_RETRIES &&
      (isTemporary(error) || (error instanceof ApiProblem && error.status === NOT_ANALYSED)),
    placeholderData: (previous, query) => (query?.queryKey[1] === file ? previous : undefined),
    meta: LASTING,
  })

/** Audio is analysed within seconds after fulfilment; an earlier request would be in vain. */
const waitForAnalysis = (updatedAt: number): Promise<void> =>
  new Promise((resolve) => {
    // bounded: this computer's clock may be wrong
    const delayMs = Math.min(updatedAt + ANALYSIS_DELAY_MS - Date.now(), ANALYSIS_DELAY_MS)
    setTimeout(resolve, Math.max(0, delayMs))
  })
