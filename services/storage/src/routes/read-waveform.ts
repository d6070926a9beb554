import type { Waveform } from '@prelude/contracts'
import { AppError, type Query } from '@prelude/platform'
import { findWaveform } from '../store/analysis.ts'
import { versionOf } from './place-audio.ts'

/** Errors: waveform_not_ready, song_not_found for a version that no song can have. */
export const readWaveform =
  (query: Query) =>
  async ({ params }: { params: Record<string, string> }): Promise<Waveform> => {
    const waveform = await findWaveform(query, params['songId'] as string, versionOf(params['n']))
    if (!waveform) throw new AppError('waveform_not_ready')
    return waveform
  }
