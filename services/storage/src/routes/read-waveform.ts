import type { storageApi, Waveform } from '@prelude/contracts'
import { AppError, type Query, type RouteContext } from '@prelude/platform'
import { findWaveform } from '../store/analysis.ts'

/** Errors: waveform_not_ready. */
export const readWaveform =
  (query: Query) =>
  async ({ query: { path } }: RouteContext<typeof storageApi.waveform>): Promise<Waveform> => {
    const waveform = await findWaveform(query, path)
    if (!waveform) throw new AppError('waveform_not_ready')
    return waveform
  }
