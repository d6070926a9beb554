import { NewShare, Page, Share, type ShareRecord } from '@prelude/contracts'
import { AppError, type Clock, isId } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { SharesClient, SongsClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { ownSong } from '../songs/own-song.ts'

type Deps = { clock: Clock; config: GatewayConfig; shares: SharesClient; songs: SongsClient }

/** Links by which people without an account hear a song: what its owner does with them. */

export const createShare = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/shares', {
    access: 'person',
    summary: 'Makes a link by which anyone hears the song',
    refusals: ['song_not_found', 'song_not_ready', 'song_not_charged', 'too_many_shares'],
    body: NewShare,
    bodyOptional: true,
    document: { description: 'Every choice may be left out, and so may the body.' },
    reply: Share,
    status: 201,
    handle: async ({ request, id, params, body }) => {
      const { versions = [1, 2], lyrics = false, download = false, expiresAt = null } = body
      if (expiresAt !== null && expiresAt <= deps.clock.now())
        throw new AppError('invalid_request', {
          errors: [{ path: 'expiresAt', message: 'must be in the future' }],
        })
      const song = await ownSong(deps, personOf(request), params['id'])
      const share = await deps.shares.create({
        params: { id },
        body: { songId: song.id, versions, lyrics, download, expiresAt },
      })
      return shareView(share, deps.config)
    },
  })

export const listShares = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/songs/:id/shares', {
    access: 'person',
    summary: 'The links to a song, newest first, ended ones too',
    refusals: ['song_not_found', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(Share),
    handle: async ({ request, params, query }) => {
      const wanted = pageOf(query)
      const { id: songId, uid } = await ownSong(deps, personOf(request), params['id'])
      const page = await deps.shares.list({ query: { uid, songId, ...wanted } })
      return { ...page, items: page.items.map((share) => shareView(share, deps.config)) }
    },
  })

export const endShare = ({ shares }: Deps): PublicRoute =>
  publicRoute('DELETE /api/shares/:id', {
    access: 'person',
    summary: 'Ends a link, for everybody and at once; twice is once',
    refusals: ['share_not_found'],
    status: 204,
    handle: async ({ request, params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('share_not_found')
      await shares.end({ params: { id }, body: { uid: personOf(request).uid } })
    },
  })

/** The one place where a token becomes an address. */
export const shareView = (
  { token, songId: _songId, ...share }: ShareRecord,
  { publicUrl }: { publicUrl: string },
): Share => ({ ...share, url: `${publicUrl}/s/${token}` })
