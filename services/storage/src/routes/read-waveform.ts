import type { storageApi, Waveform } from '@prelude/contracts'
import { AppError, type Query, type RouteContext } from '@prelude/platform'
import { findWaveform } from '../store/analysis.ts'
import { versionOf } from './version-of.ts'

/** Errors: waveform_not_ready, song_not_found for a version that no song can have. */
export const readWaveform =
  (query: Query) =>
  async ({ params: { songId = '', n } }: RouteContext<typeof storageApi.waveform>): Promise<Waveform> => {
    const waveform = await findWaveform(query, songId, versionOf(n))
    if (!waveform) throw new AppError('waveform_not_ready')
    return waveform
  }
