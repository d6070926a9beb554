import { isCode } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { createShareHtml, escapeHtml, NOT_BUILT } from '../plugins/web.ts'
import type { RouteDeps } from '../route-deps.ts'
import { openSharedSong, type OpenShare } from '../routes/shared-song.ts'
import { COVER, createCovers } from './cover.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

const HIDDEN = { schema: { hide: true } }
const MAX_PREVIEW_TITLE = 100

/** `/s/:token`: its own page of the web app, with tags from which messengers make a preview without running scripts. */
export function registerSharePage(app: FastifyInstance, deps: RouteDeps): void {
  const shareHtml = createShareHtml(deps.config)
  const covers = createCovers()
  app.get('/s/:token', HIDDEN, async (request: WithToken, reply) => {
    const html = await shareHtml().catch(() => NOT_BUILT)
    const { token } = request.params
    // the page itself says what is wrong with a link
    const open = await openSharedSong(deps, token).catch((error: unknown) => {
      if (!isCode(error, 'share_not_found') && !isCode(error, 'share_ended'))
        request.log.warn({ err: error }, 'a link has no preview')
      return null
    })
    return secret(reply)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(withPreview(html, open ? previewTags(open, deps.config) : titleOf(deps.config.brandName)))
  })
  app.get('/s/:token/cover.png', HIDDEN, async (request: WithToken, reply) => {
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

function previewTags({ share, view }: OpenShare, config: GatewayConfig): string {
  const page = `${config.publicUrl}/s/${share.token}`
  const whole = Array.from(view.title.replace(/\s+/gu, ' '))
  const title =
    whole.length > MAX_PREVIEW_TITLE ? `${whole.slice(0, MAX_PREVIEW_TITLE).join('')}…` : whole.join('')
  const by = view.artist === null ? 'A song' : `A song by ${view.artist}`
  const [first] = view.versions
  const tags: Record<'property' | 'name', Record<string, string | number>> = {
    property: {
      'og:type': 'music.song',
      'og:site_name': config.brandName,
      'og:title': title,
      'og:description': `${by} · ${config.brandName}`,
      'og:url': page,
      'og:image': `${page}/cover.png`,
      'og:image:type': 'image/png',
      'og:image:width': COVER.width,
      'og:image:height': COVER.height,
      'og:image:alt': 'A drawing of a cassette',
      'og:audio': `${config.publicUrl}/api/shares/${share.token}/versions/${first?.n ?? 1}`,
    },
    name: {
      'twitter:card': 'summary_large_image',
      'twitter:title': title,
      'twitter:description': `${by} · ${config.brandName}`,
      'twitter:image': `${page}/cover.png`,
      description: `${by} · ${config.brandName}`,
    },
  }
  const lines = Object.entries(tags).flatMap(([attribute, values]) =>
    Object.entries(values).map(
      ([name, value]) => `<meta ${attribute}="${name}" content="${escapeHtml(String(value))}">`,
    ),
  )
  return [titleOf(`${title} · ${config.brandName}`), ...lines].join('\n')
}

const titleOf = (text: string): string => `<title>${escapeHtml(text)}</title>`

const withPreview = (html: string, preview: string): string => html.replace('<!-- preview -->', () => preview)
