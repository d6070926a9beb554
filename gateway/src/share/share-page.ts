import { hash } from 'node:crypto'
import { escapeHtml, markDirections, oneLine, SHARED_SONG_ELEMENT } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FindUser } from '../accounts/store/users.ts'
import type { SharesClient } from '../api/clients.ts'
import { keptCompressed, sendCompressed } from '../api/plugins/compressed.ts'
import { createShareHtml, NOT_BUILT } from '../api/plugins/web.ts'
import type { GatewayConfig } from '../config.ts'
import type { Drawings } from './drawing/drawings.ts'
import { COVER } from './drawing/task.ts'
import { type PreviewWords, previewWords } from './preview-words.ts'
import { type OpenShare, openSharedSong } from './shared-song.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

const PAGE = { schema: { hide: true }, config: { limit: 'shared' } } as const
const MAX_PREVIEW_TITLE = 100

/** `/s/:token`: its own page of the web app, with tags from which messengers make a preview without running scripts. */
export function registerSharePage(
  app: FastifyInstance,
  deps: { config: GatewayConfig; drawings: Drawings; findUser: FindUser; shares: SharesClient },
): void {
  const shareHtml = createShareHtml(deps.config)
  const withoutSong = keptCompressed()
  app.get('/s/:token', PAGE, async (request: WithToken, reply) => {
    const html = await shareHtml().catch(() => NOT_BUILT)
    const { token } = request.params
    // the page itself says what is wrong with a link
    const open = await openSharedSong(deps, token).catch((error: unknown) => {
      if (error instanceof AppError && error.status < 500) void reply.code(error.status)
      else request.log.warn({ err: error }, 'a link has no preview')
      return null
    })
    void secret(reply).header('cache-control', 'no-store').type('text/html; charset=utf-8')
    if (!open) {
      const page = withoutSong(html, () => withPreview(html, titleTag(deps.config.brandName)))
      return sendCompressed(request, reply, page)
    }
    const words = previewWords(request.headers['accept-language'])
    return reply
      .header('vary', 'accept-language')
      .send(withPreview(html, previewTags(open, words, deps.config)))
  })
  app.get('/s/:token/cover.png', PAGE, async (request: WithToken, reply) => {
    const { song } = await openSharedSong(deps, request.params.token)
    const cover = await deps.drawings.cover(song.id)
    const etag = `"${hash('sha256', cover, 'base64url')}"`
    void secret(reply).header('cache-control', 'no-cache').header('etag', etag)
    if (request.headers['if-none-match']?.split(/, */).includes(etag)) return reply.code(304).send()
    return reply.type('image/png').send(cover)
  })
}

/** The address is what opens the song: search engines do not list it, and other sites never see it. */
const secret = (reply: FastifyReply): FastifyReply =>
  reply.header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex')

function previewTags({ share, view }: OpenShare, words: PreviewWords, config: GatewayConfig): string {
  const page = `${config.publicUrl}/s/${share.token}`
  const whole = Array.from(oneLine(markDirections(view.title)))
  const title =
    whole.length > MAX_PREVIEW_TITLE ? `${whole.slice(0, MAX_PREVIEW_TITLE).join('')}…` : whole.join('')
  const description = `${words.songBy(view.artist)} · ${config.brandName}`
  const [first] = view.versions
  const tags: Record<'property' | 'name', Record<string, string | number>> = {
    property: {
      'og:type': 'music.song',
      'og:site_name': config.brandName,
      'og:title': title,
      'og:description': description,
      'og:url': page,
      'og:image': `${page}/cover.png`,
      'og:image:type': 'image/png',
      'og:image:width': COVER.width,
      'og:image:height': COVER.height,
      'og:image:alt': words.drawing,
      'og:audio': `${config.publicUrl}/api/shares/${share.token}/versions/${first?.n ?? 1}`,
    },
    name: {
      'twitter:card': 'summary_large_image',
      'twitter:title': title,
      'twitter:description': description,
      'twitter:image': `${page}/cover.png`,
      description,
    },
  }
  const lines = Object.entries(tags).flatMap(([attribute, values]) =>
    Object.entries(values).map(
      ([name, value]) => `<meta ${attribute}="${name}" content="${escapeHtml(String(value))}">`,
    ),
  )
  return [titleTag(`${title} · ${config.brandName}`), ...lines, embedded(view)].join('\n')
}

/** What the API answers about the link, so that the page shows it without another request. */
const embedded = (view: OpenShare['view']): string =>
  `<script id="${SHARED_SONG_ELEMENT}" type="application/json">${JSON.stringify(view).replaceAll('<', '\\u003c')}</script>`

const titleTag = (text: string): string => `<title>${escapeHtml(text)}</title>`

const withPreview = (html: string, preview: string): string => html.replace('<!-- preview -->', () => preview)
