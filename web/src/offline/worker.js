/*
 * Opens the app without a network (docs/decisions/0012). It keeps the page and the files of one build, nothing else: never
 * an answer of /api, never audio. While the server answers, the page is always the server's own; a new build brings a new
 * worker, which takes over at once and throws the old files away.
 */

/** Filled in by the build (vite.config.ts). */
const FILES = []
const BUILD = 'BUILD'

const PAGE = '/'
const CACHE = `shell-${BUILD}`

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(keepAll())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([dropOthers(), self.registration.navigationPreload?.enable(), self.clients.claim()]),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== self.location.origin || request.method !== 'GET' || /^\/api(\/|$)/.test(pathname)) return
  if (request.mode === 'navigate') event.respondWith(page(event))
  else if (pathname.startsWith('/assets/'))
    event.respondWith(kept(request).then((file) => file ?? fetch(request)))
})

const kept = (request) => caches.match(request, { cacheName: CACHE })

/** The server's page; where no server answers, the one that was kept. */
async function page(event) {
  const answer = await Promise.resolve(event.preloadResponse)
    .then((preloaded) => preloaded ?? fetch(event.request))
    .catch(() => undefined)
  if (answer && answer.status < 500) return answer
  return (await kept(PAGE)) ?? answer ?? Response.error()
}

/** All of one build or nothing: while servers change over, a page may belong to another build than this worker. */
async function keepAll() {
  const cache = await caches.open(CACHE)
  const page = await fetch(PAGE, { cache: 'no-cache' })
  const named = (await page.clone().text()).match(/\/assets\/[^"]+/g) ?? []
  if (!page.ok || !named.every((name) => FILES.includes(name))) throw new Error('a page of another build')
  await cache.put(PAGE, page)
  await Promise.all(FILES.map((name) => keep(cache, name)))
}

async function keep(cache, name) {
  const file = await fetch(name)
  // a file that is gone is answered with the page
  if (!file.ok || file.headers.get('content-type')?.includes('html')) throw new Error(`${name} is gone`)
  await cache.put(name, file)
}

const dropOthers = async () => {
  const others = (await caches.keys()).filter((name) => name.startsWith('shell-') && name !== CACHE)
  await Promise.all(others.map((name) => caches.delete(name)))
}
