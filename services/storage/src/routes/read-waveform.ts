import type { storageApi } from '@prelude/contracts'
import { AppError, type Query, type RouteHandler } from '@prelude/platform'
import { findWaveform } from '../store/analysis.ts'

/** Errors: waveform_not_ready. */
export const readWaveform =
  (query: Query): RouteHandler<typeof storageApi.waveform> =>
  async ({ query: { path } }) => {
    const waveform = await findWaveform(query, path)
    if (!waveform) throw new AppError('waveform_not_ready')
    return waveform
  }
