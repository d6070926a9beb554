import { MAX_LYRICS, MAX_STYLE, MAX_WAITING_SONGS, Song, SONG_PRICE_CREDITS } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import type { RouteDeps } from '../route-deps.ts'
import { personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'

import { songView } from '../views.ts'

const BLANK = /^\p{White_Space}*$/u

const isTooLong = (text: string, max: number): boolean => text.length > max && Array.from(text).length > max

/** Spec §5 and §8: both texts are required; stored as sent. */
export const requestSong = ({ config, findUser, songs }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/songs',
    access: 'person',
    area: 'Songs',
    summary: `Asks for a song; ${SONG_PRICE_CREDITS} credits are taken when they are there`,
    refusals: [
      'lyrics_and_style_required',
      'text_too_long',
      'invalid_text',
      'too_many_waiting',
      'submit_failed',
    ],
    limit: 'submit',
    failure: 'submit_failed',
    body: Type.Object({ lyrics: Type.Optional(Type.String()), style: Type.Optional(Type.String()) }),
    document: {
      bodies: {
        'application/json': Type.Object({
          lyrics: Type.String({ minLength: 1, maxLength: MAX_LYRICS }),
          style: Type.String({ minLength: 1, maxLength: MAX_STYLE }),
        }),
      },
    },
    reply: Song,
    status: 201,
    handle: async ({ request, id, body: { lyrics = '', style = '' } }) => {
      if (BLANK.test(lyrics) || BLANK.test(style)) throw new AppError('lyrics_and_style_required')
      if (isTooLong(lyrics, MAX_LYRICS) || isTooLong(style, MAX_STYLE)) throw new AppError('text_too_long')
      const caller = personOf(request)
      const user = await findUser(caller.uid)
      if (!user) throw new AppError('not_signed_in')
      const { uid, email, name } = user
      const song = await songs.request({
        params: { id },
        body: {
          uid,
          email,
          username: name ?? 'Anonymous',
          lyrics,
          style,
          ...(config.rateLimits && { mostWaiting: MAX_WAITING_SONGS }),
        },
      })
      return songView(song, caller)
    },
  })
