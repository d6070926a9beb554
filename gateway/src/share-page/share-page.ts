import { SHARED_SONG_ELEMENT } from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { escapeHtml } from '../escape-html.ts'
import { createShareHtml, NOT_BUILT } from '../plugins/web.ts'
import type { RouteDeps } from '../route-deps.ts'
import { openSharedSong, type OpenShare } from '../routes/shared-song.ts'
import { COVER, createCovers } from './cover.ts'
import { type PreviewWords, previewWords } from './preview-words.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

const PAGE = { schema: { hide: true }, config: { limit: 'shared' } } as const
const MAX_PREVIEW_TITLE = 100

/** `/s/:token`: its own page of the web app, with tags from which messengers make a preview without running scripts. */
export function registerSharePage(app: FastifyInstance, deps: RouteDeps): void {
  const shareHtml = createShareHtml(deps.config)
  const covers = createCovers()
  app.get('/s/:token', PAGE, async (request: WithToken, reply) => {
    const html = await shareHtml().catch(() => NOT_BUILT)
    const { token } = request.params
    // the page itself says what is wrong with a link
    const open = await openSharedSong(deps, token).catch((error: unknown) => {
      if (!isCode(error, 'share_not_found') && !isCode(error, 'share_ended'))
        request.log.warn({ err: error }, 'a link has no preview')
      return null
    })
    const words = previewWords(request.headers['accept-language'])
    return secret(reply)
      .header('cache-control', 'no-store')
      .header('vary', 'accept-language')
      .type('text/html; charset=utf-8')
      .send(withPreview(html, open ? previewTags(open, words, deps.config) : titleTag(deps.config.brandName)))
  })
  app.get('/s/:token/cover.png', PAGE, async (request: WithToken, reply) => {
    const { song } = await openSharedSong(deps, request.params.token)
    return secret(reply)
      .header('cache-control', 'no-cache')
      .type('image/png')
      .send(await covers(song.id))
  })
}

/** The address is what opens the song: search engines do not list it, and other sites never see it. */
const secret = (reply: FastifyReply): FastifyReply =>
  reply.header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex')

function previewTags({ share, view }: OpenShare, words: PreviewWords, config: GatewayConfig): string {
  const page = `${config.publicUrl}/s/${share.token}`
  const whole = Array.from(view.title.replace(/\s+/gu, ' '))
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
