import {
  GivenTime,
  MAX_LYRICS,
  MAX_STYLE,
  MAX_WAITING_SONGS,
  NewBrief,
  Nullable,
  Song,
  SONG_PRICE_CREDITS,
} from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { SongsClient } from '../api/clients.ts'
import { FIRST_REVISION } from '../api/hints.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { briefOf } from './brief.ts'
import { assertLyricsAndStyle } from './lyrics-and-style.ts'
import type { SongReads } from './song-reads.ts'
import { songView } from './views.ts'

type Deps = { config: GatewayConfig; songReads: SongReads; songs: SongsClient }

export const requestSong = ({ config, songs, songReads }: Deps): PublicRoute =>
  publicRoute('POST /api/songs', {
    access: 'person',
    summary: `Asks for a song; ${SONG_PRICE_CREDITS} credits are taken when they are there`,
    refusals: [
      'lyrics_and_style_required',
      'text_too_long',
      'invalid_text',
      'too_many_waiting',
      'submit_failed',
    ],
    limit: 'submit',
    needsUser: true,
    failure: 'submit_failed',
    body: Type.Object({
      lyrics: Type.Optional(Type.String()),
      style: Type.Optional(Type.String()),
      brief: Type.Optional(Nullable(NewBrief)),
      readyBy: Type.Optional(GivenTime),
    }),
    document: {
      bodies: {
        'application/json': Type.Object({
          lyrics: Type.String({ minLength: 1, maxLength: MAX_LYRICS }),
          style: Type.String({ minLength: 1, maxLength: MAX_STYLE }),
          brief: Type.Optional(Nullable(NewBrief)),
          readyBy: Type.Optional(GivenTime),
        }),
      },
    },
    reply: Song,
    status: 201,
    handle: async ({ request, id, body: { lyrics = '', style = '', brief: said, readyBy } }) => {
      const brief = said ? briefOf(said) : null
      assertLyricsAndStyle({ lyrics, style })
      const caller = personOf(request)
      const user = await request.user
      if (!user) throw new AppError('not_signed_in')
      const { uid, email, name } = user
      const requested = songs.request({
        params: { id },
        body: {
          uid,
          email,
          username: name ?? 'Anonymous',
          lyrics,
          style,
          ...(brief && { brief }),
          ...(readyBy !== undefined && { readyBy }),
          ...(config.rateLimits && { mostWaiting: MAX_WAITING_SONGS }),
        },
      })
      return songView(await songReads.keep(id, FIRST_REVISION, requested), caller, config)
    },
  })
