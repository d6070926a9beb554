import { OneOf, Page, Song, SongSort, StatusFilter } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AuditDeps, auditOfOthers } from '../accounts/access.ts'
import { type FindUser, mailsRefused } from '../accounts/store/users.ts'
import { personOf } from '../api/caller.ts'
import type { SongsClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { withSlot } from '../api/slots.ts'
import type { GatewayConfig } from '../config.ts'
import { songView } from './views.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = { config: GatewayConfig; kv: KeyValue; songs: SongsClient }
export type VisibleDeps = AuditDeps & { songs: SongsClient }

/** Concurrent searches of one person: each reads all of the person's songs. */
const SEARCHES = { name: 'search', most: 2 }

export const listSongs = ({ songs, kv, config }: Deps): PublicRoute =>
  publicRoute('GET /api/songs', {
    access: 'person',
    summary: "The caller's own songs, newest first or by title",
    limit: ({ q }) => (q ? 'search' : 'none'), // a list without a phrase is a read like any other
    refusals: ['invalid_request', 'invalid_cursor'],
    query: Type.Object({
      q: Type.Optional(Type.String({ description: 'one phrase in title, lyrics or style, taken literally' })),
      status: Type.Optional(StatusFilter),
      favourite: Type.Optional(OneOf('true', 'false')),
      archived: Type.Optional(OneOf('true', 'false')),
      sort: Type.Optional(SongSort),
      ...pageQuery,
    }),
    reply: Page(Song),
    handle: async ({ request, query }) => {
      const caller = personOf(request)
      const list = () =>
        songs.list({
          query: {
            uid: caller.uid,
            ...(query.q !== undefined && query.q !== '' && { q: query.q }),
            ...(query.status && { status: query.status }),
            ...(query.favourite && { favourite: query.favourite === 'true' }),
            archived: query.archived === 'true',
            ...(query.sort && { sort: query.sort }),
            ...pageOf(query),
          },
        })
      const page = await (config.rateLimits && query.q ? withSlot(kv, SEARCHES, caller.uid, list) : list())
      return { ...page, items: page.items.map((song) => songView(song, caller, config)) }
    },
  })

export const getSong = (deps: VisibleDeps & { config: GatewayConfig; findUser: FindUser }): PublicRoute =>
  publicRoute('GET /api/songs/:id', {
    access: 'person',
    summary: 'One song',
    ofOthers: 'read-song',
    refusals: ['song_not_found'],
    reply: Song,
    handle: async ({ request, params }) => {
      const caller = personOf(request)
      const song = songView(await visibleSong(deps, request, params['id']), caller, deps.config)
      return caller.isUnlocked ? { ...song, ...mailsRefused(await deps.findUser(song.uid)) } : song
    },
  })

/**
 * The caller's own song, or any for the unlocked operator, which is in the audit. Errors: song_not_found also for other
 * people's: ids are not confirmed.
 */
export async function visibleSong(
  deps: VisibleDeps,
  request: FastifyRequest,
  id: string | undefined,
): Promise<Song> {
  if (id === undefined || !isId(id)) throw new AppError('song_not_found')
  const song = await deps.songs.get({ params: { id } })
  const { uid, isUnlocked } = personOf(request)
  if (song.uid === uid) return song
  await auditOfOthers(deps, request, id)
  if (!isUnlocked) throw new AppError('song_not_found')
  return song
}
