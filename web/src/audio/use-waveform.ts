import { useQuery } from '@tanstack/react-query'
import type { Song, Waveform } from '@prelude/contracts'
import { api, ApiProblem } from '../api/client.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { PlayerChoice } from '../ui/overlays.ts'

const ANALYSIS_DELAY_MS = 4_000

/** `isPending`: no data, or that of the previous version. */
export function useWaveform({ songId, version, take }: PlayerChoice, song: Song | undefined) {
  const { data, isPlaceholderData, isError } = useQuery({
    // a new revision may mean a finished analysis or a replaced file
    queryKey: queryKeys.waveform(songId, version, take, song?.revision),
    queryFn: async ({ signal }) => {
      await waitForAnalysis(song?.updatedAt ?? 0)
      return api
        .get<Waveform>(
          `/api/songs/${songId}/versions/${version}/waveform${take === undefined ? '' : `?take=${take}`}`,
          { signal },
        )
        .catch((error: unknown) => {
          if (error instanceof ApiProblem && error.status === 404) return null
          throw error
        })
    },
    enabled: song !== undefined,
    refetchInterval: ({ state }) => (state.data === null ? ANALYSIS_DELAY_MS : false),
    placeholderData: (previous) => previous,
  })
  return { data: data ?? undefined, isPending: isPlaceholderData || (!data && !isError) }
}

/** Audio is analysed within seconds after fulfilment; an earlier request would be a 404. */
const waitForAnalysis = (updatedAt: number): Promise<void> =>
  new Promise((resolve) => {
    // bounded: this computer's clock may be wrong
    const delayMs = Math.min(updatedAt + ANALYSIS_DELAY_MS - Date.now(), ANALYSIS_DELAY_MS)
    setTimeout(resolve, Math.max(0, delayMs))
  })
