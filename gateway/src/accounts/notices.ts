import { Notice, type NoticeFacts, NoticesRead, Page } from '@prelude/contracts'
import type { Logger } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { NoticesClient, SongsClient } from '../api/clients.ts'
import { personChannel, publishHint } from '../api/hints.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type Deps = { kv: KeyValue; logger: Logger; notices: NoticesClient; songs: SongsClient }

/** What is about songs names them as they are called now. Errors: unavailable. */
export async function withTitles<T extends Pick<NoticeFacts, 'songId'>>(
  { songs }: { songs: SongsClient },
  facts: readonly T[],
): Promise<(T & Pick<Notice, 'title'>)[]> {
  const ids = [...new Set(facts.flatMap(({ songId }) => songId ?? []))]
  const found = ids.length === 0 ? [] : (await songs.byIds({ body: { ids } })).items
  const titles = new Map(found.map(({ id, title, style }) => [id, title ?? style]))
  return facts.map((one) => ({ ...one, title: titles.get(one.songId ?? '') ?? null }))
}

export const listNotices = ({ notices, songs }: Deps): PublicRoute =>
  publicRoute('GET /api/notices', {
    access: 'person',
    summary: "What happened to the caller's songs and transfers, newest first",
    refusals: ['invalid_request', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(Notice),
    handle: async ({ request, query }) => {
      const page = await notices.list({ params: { uid: personOf(request).uid }, query: pageOf(query) })
      return { ...page, items: await withTitles({ songs }, page.items) }
    },
  })

export const readNotices = ({ notices, kv, logger }: Deps): PublicRoute =>
  publicRoute('POST /api/notices/read', {
    access: 'person',
    summary: 'Marks the notices up to a time as read, inclusive',
    refusals: ['invalid_request'],
    body: NoticesRead,
    status: 204,
    handle: async ({ request, body }) => {
      const { uid } = personOf(request)
      await notices.read({ params: { uid }, body })
      // other tabs and browsers read it again when they connect
      await publishHint(kv, personChannel(uid), {
        kind: 'notices-read',
        id: uid,
        revision: body.before,
      }).catch((error: unknown) => logger.warn({ err: error }, 'read notices were not announced'))
    },
  })
