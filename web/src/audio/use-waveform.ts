import { useQuery } from '@tanstack/react-query'
import type { Song, Waveform } from '@prelude/contracts'
import { api, ApiProblem, isTemporary } from '../api/client.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { PlayerChoice } from '../ui/overlays.ts'
import { versionsOf } from './version-switch.tsx'

const ANALYSIS_DELAY_MS = 4_000
/** With the delays between them they take about a minute. A later analysis comes with a new revision of the song. */
const MAX_RETRIES = 15

/** `isPending`: no data, or that of the previous version. A version that the song does not have is not asked for. */
export function useWaveform({ songId, version, take }: PlayerChoice, song: Song | undefined) {
  const { data, isPlaceholderData, isPending } = useQuery({
    // a new revision may mean a finished analysis or a replaced file
    queryKey: queryKeys.waveform(songId, version, take, song?.revision),
    queryFn: async ({ signal }) => {
      await waitForAnalysis(song?.updatedAt ?? 0)
      const wave = await api.get<Waveform | undefined>(
        `/api/songs/${songId}/versions/${version}/waveform${take === undefined ? '' : `?take=${take}`}`,
        { signal, lenient: true },
      )
      if (wave === undefined) throw new NotAnalysed()
      return wave
    },
    enabled: song !== undefined && versionsOf(song).includes(version),
    retry: (count, error) => count < MAX_RETRIES && (isTemporary(error) || isNotAnalysed(error)),
    // of the other version or take; another song has nothing in common with it
    placeholderData: (previous, query) => (query?.queryKey[1] === songId ? previous : undefined),
  })
  return { data, isPending: isPlaceholderData || isPending }
}

class NotAnalysed extends Error {}

/** 404: of a gateway that does not know the preference. */
const isNotAnalysed = (error: unknown): boolean =>
  error instanceof NotAnalysed || (error instanceof ApiProblem && error.status === 404)

/** Audio is analysed within seconds after fulfilment; an earlier request would be in vain. */
const waitForAnalysis = (updatedAt: number): Promise<void> =>
  new Promise((resolve) => {
    // bounded: this computer's clock may be wrong
    const delayMs = Math.min(updatedAt + ANALYSIS_DELAY_MS - Date.now(), ANALYSIS_DELAY_MS)
    setTimeout(resolve, Math.max(0, delayMs))
  })
