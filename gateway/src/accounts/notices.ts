import { Notice, NoticesRead, Page } from '@prelude/contracts'
import { Type } from 'typebox'
import { personChannel, publishHint } from '../api/hints.ts'
import type { RouteDeps } from '../route-deps.ts'
import { personOf } from './access.ts'
import { type PublicRoute, publicRoute } from '../api/public-route.ts'
import { pageOf, pageQuery } from '../api/paging.ts'

const area = 'Notices'

export const listNotices = ({ notices }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/notices',
    access: 'person',
    area,
    summary: "What happened to the caller's songs and transfers, newest first",
    refusals: ['invalid_request', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(Notice),
    handle: ({ request, query }) =>
      notices.list({ params: { uid: personOf(request).uid }, query: pageOf(query) }),
  })

export const readNotices = ({ notices, kv, logger }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'POST',
    url: '/api/notices/read',
    access: 'person',
    area,
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
