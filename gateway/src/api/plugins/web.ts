import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import fastifyStatic from '@fastify/static'
import { escapeHtml, LEGAL_PAGES } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../../config.ts'
import { keptCompressed, sendCompressed } from './compressed.ts'

export const NOT_BUILT =
  '<!doctype html><title>Not built</title><p>The web app is not built yet: run <code>npm run build</code>.'
/** Files in which configured values are filled in. */
const PAGES = ['/index.html', '/share.html']
const YEAR_SECONDS = 31_536_000
/** Of files whose names have a hash of their content. */
export const FOREVER = { 'cache-control': `public, max-age=${YEAR_SECONDS}, immutable` }

export const isApi = (url: string): boolean => /^\/api([/?]|$)/.test(url)

/** Compresses each answer of the routes that are registered after it: files and pages before it are sent as they are kept. */
export async function registerCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    customTypes: /^(text\/(?!event-stream)|application\/(.+\+)?json|application\/javascript|image\/svg)/,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
}

export type WebPage = (request: FastifyRequest, reply: FastifyReply) => void

/** The built web app: its files, and its page for every other path, which the app's own router reads. */
export async function registerWeb(
  app: FastifyInstance,
  config: GatewayConfig,
  webPage: WebPage,
): Promise<void> {
  app.get('/', { schema: { hide: true } }, webPage)
  app.get('/manifest.webmanifest', { schema: { hide: true } }, createManifest(config))
  if (!(await isFolder(config.webRoot))) return
  await app.register(async (files) => {
    // a path that cannot be a file's name is a path of the app like any other
    files.setErrorHandler((_error, request, reply) => {
      if (isApi(request.url)) throw new AppError('not_found')
      webPage(request, reply)
    })
    await files.register(fastifyStatic, {
      root: config.webRoot,
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      preCompressed: true, // by the build
      allowedPath: (path) => !PAGES.includes(path) && !isApi(path),
      cacheControl: false,
      setHeaders: (response, path) => {
        const isAsset = path.startsWith(join(config.webRoot, 'assets'))
        response.headers(isAsset ? FOREVER : { 'cache-control': 'no-cache' })
        // a mail may be read on a page of another origin
        if (path.endsWith('/mail-cassette.png'))
          response.headers({ 'cross-origin-resource-policy': 'cross-origin' })
      },
    })
  })
}

/** Answers with the app's page, filled with what is configured. */
export function createWebPage(config: GatewayConfig): WebPage {
  const filled = createFilled(config, 'index.html', escapeHtml)
  const compressed = keptCompressed()
  return (request, reply) => {
    const send = (html: string): void => {
      void reply.code(200).header('cache-control', 'no-cache').type('text/html; charset=utf-8')
      sendCompressed(
        request,
        reply,
        compressed(html, () => html),
      )
    }
    filled().then(send, () => send(NOT_BUILT))
  }
}

/** The page of a link, filled likewise. */
export const createShareHtml = (config: GatewayConfig): (() => Promise<string>) =>
  createFilled(config, 'share.html', escapeHtml)

/** The name of the app's entry script, which is another one in each build; undefined before it is built. */
export function createBuildName(config: GatewayConfig): () => Promise<string | undefined> {
  const filled = createFilled(config, 'index.html', escapeHtml)
  return () =>
    filled().then(
      (html) => /<script type="module"[^>]* src="\/assets\/([\w-]+)\.js"/.exec(html)?.[1],
      () => undefined,
    )
}

/** The links to the app's own styles, for server-rendered pages; none before it is built. */
export function createStyleLinks(config: GatewayConfig): () => Promise<string> {
  const filled = createFilled(config, 'index.html', escapeHtml)
  return () =>
    filled().then(
      (html) => (html.match(/<link rel="stylesheet"[^>]*>/g) ?? []).join('\n'),
      () => '',
    )
}

/** What an installed app is called is configured too. */
function createManifest(config: GatewayConfig) {
  const filled = createFilled(config, 'manifest.webmanifest', (text) => JSON.stringify(text).slice(1, -1))
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const manifest = await filled().catch(() => {
      throw new AppError('not_found')
    })
    return reply.header('cache-control', 'no-cache').type('application/manifest+json').send(manifest)
  }
}

/** Reads a file of the web app with every `{{NAME}}` filled in; a new build is read again. */
function createFilled(
  config: GatewayConfig,
  name: string,
  escape: (text: string) => string,
): () => Promise<string> {
  const values: Record<string, string> = {
    BRAND_NAME: config.brandName,
    PUBLIC_URL: config.publicUrl,
    SUPPORT_EMAIL: config.supportEmail,
    SIGN_IN_PROVIDER: config.oidc.providerName,
    CHANGES_INCLUDED: String(config.terms.changesIncluded),
    CHANGES_DAYS: String(config.terms.changesDays),
    MESSAGES_DAYS: String(config.terms.messagesDays),
    MUSIC_GENERATOR: String(config.generator),
    LEGAL_PAGES: LEGAL_PAGES.filter((page) => config.legal[page]).join(' '),
  }
  const file = join(config.webRoot, name)
  let known = { mtimeMs: NaN, text: '' }
  return async () => {
    const { mtimeMs } = await stat(file)
    if (mtimeMs !== known.mtimeMs) {
      const text = await readFile(file, 'utf8')
      known = {
        mtimeMs,
        text: text.replace(/\{\{([A-Z_]+)\}\}/g, (whole, key: string) => escape(values[key] ?? whole)),
      }
    }
    return known.text
  }
}

/** The methods of each path of this app, to answer 405 instead of 404; a route of exactly that path comes before patterns. */
export function collectPaths(app: FastifyInstance): (url: string) => string[] {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const known = methods.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    methods.set(url, known)
  })
  let patterns: (readonly [RegExp, Set<string>])[] | undefined
  return (url) => {
    patterns ??= [...methods].map(([path, known]) => [patternOf(path), known])
    const path = pathOf(url)
    const own = methods.get(path)
    if (own) return [...own]
    return patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, known]) => [...known])
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`)

/** Unknown under /api: 404, or 405 for a path that takes other methods; elsewhere the web app. */
export function registerUnknown(
  app: FastifyInstance,
  methodsOf: (url: string) => string[],
  webPage: WebPage,
): void {
  // the framework has rules of its own for this method's body, which come before a path that does not take it
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  const refuse = (request: FastifyRequest, reply: FastifyReply): never => {
    const { allow, refusal } = refuseMethod(request.url, methodsOf)
    if (allow !== null) void reply.header('allow', allow)
    throw refusal
  }
  app.addHook('onRequest', async (request, reply) => {
    if (!isApi(request.url)) return
    // the router would match the parameter of `/api/songs/:id` with an empty text
    if (pathOf(request.url).endsWith('/')) throw new AppError('not_found')
    // and that of `/api/payments/:id` with the end of `/api/payments/alternate`, which is no payment
    const methods = request.routeOptions.url?.includes(':') ? methodsOf(request.url) : []
    if (methods.length > 0 && !methods.includes(request.method)) refuse(request, reply)
  })
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isApi(request.url) && !isHidden(request.url) && isRead) return webPage(request, reply)
    return refuse(request, reply)
  })
}

/** The answer to a method that the path does not support. */
export function refuseMethod(
  url: string,
  methodsOf: (url: string) => string[],
): { allow: string | null; refusal: AppError } {
  const allowed = isApi(url) || isHidden(url) ? methodsOf(url) : ['GET', 'HEAD']
  if (allowed.length === 0) return { allow: null, refusal: new AppError('not_found') }
  const allow = [...new Set(allowed)].toSorted().join(', ')
  return { allow, refusal: new AppError('method_not_allowed') }
}

/** Paths of the internal ports, never public. */
const isHidden = (url: string): boolean => /^\/(metrics|readyz)([/?]|$)/.test(url)

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
