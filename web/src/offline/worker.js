/*
 * The service worker: opens the app without a network (docs/decisions/0012). It caches the page and the files of one build,
 * never a response of /api, never audio. Navigations go to the network first; the cache answers only when the server does
 * not. A new build installs a new worker, which takes over at once and deletes the old caches.
 * It also shows pushes (docs/decisions/0056), for which it keeps a sentence of each kind.
 */

/** Filled in by the build (build/plugins.ts). */
const FILES = []
const BUILD = 'BUILD'

const PAGE = '/'
const CACHE = `shell-${BUILD}`

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(cacheBuild())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([deleteOldCaches(), self.registration.navigationPreload?.enable(), self.clients.claim()]),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== self.location.origin || request.method !== 'GET' || /^\/api(\/|$)/.test(pathname)) return
  // the page of a link is another one, which is not cached: the browser says that there is no network
  if (pathname.startsWith('/s/')) return
  if (request.mode === 'navigate') event.respondWith(navigate(event))
  else if (pathname.startsWith('/assets/'))
    event.respondWith(cached(request).then((file) => file ?? fetch(request)))
})

const cached = (request) => caches.match(request, { cacheName: CACHE })

/** Network first; the cached page when the server does not answer or answers 5xx. */
async function navigate(event) {
  const response = await Promise.resolve(event.preloadResponse)
    .then((preloaded) => preloaded ?? fetch(event.request))
    .catch(() => undefined)
  if (response && response.status < 500) return response
  return (await cached(PAGE)) ?? response ?? Response.error()
}

/** Caches all files of one build or fails: during a rolling update the page may belong to another build than this worker. */
async function cacheBuild() {
  const cache = await caches.open(CACHE)
  const page = await fetch(PAGE, { cache: 'no-cache' })
  const named = (await page.clone().text()).match(/\/assets\/[^"]+/g) ?? []
  if (!page.ok || !named.every((name) => FILES.includes(name)))
    throw new Error('the page is of another build')
  await cache.put(PAGE, page)
  await Promise.all(FILES.map((name) => cacheFile(cache, name)))
}

async function cacheFile(cache, name) {
  const file = await fetch(name)
  // the server answers a missing file with the page
  if (!file.ok || file.headers.get('content-type')?.includes('html')) throw new Error(`${name} is missing`)
  await cache.put(name, file)
}

const deleteOldCaches = async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith('shell-') && name !== CACHE)
  await Promise.all(old.map((name) => caches.delete(name)))
}

/** The titles of notifications in the language of the app, from its last page: a worker has no catalogue, and it restarts. */
const TITLE = '/notification-title'
const TITLE_CACHE = 'notification-title'

self.addEventListener('message', (event) => {
  event.waitUntil(keepTitles(event.data.titles))
})

async function keepTitles(titles) {
  const cache = await caches.open(TITLE_CACHE)
  await Promise.all(
    Object.entries(titles).map(([kind, title]) => cache.put(`${TITLE}/${kind}`, new Response(title))),
  )
}

self.addEventListener('push', (event) => {
  event.waitUntil(notify(event.data.json()))
})

async function notify({ kind, songId, title, url }) {
  const kept = await caches.match(`${TITLE}/${kind}`, { cacheName: TITLE_CACHE })
  // one a song: a second push replaces the first
  const options = {
    tag: songId,
    renotify: kind === 'message',
    icon: '/icon-192.png',
    data: url,
  }
  await self.registration.showNotification(kept ? await kept.text() : title, options)
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(event.notification.data))
})

/** Brings forward the tab that shows it, which goes to the part that is meant, or opens one: what another tab holds stays. */
async function openPage(address) {
  const { href, pathname, hash } = new URL(address, self.location.origin)
  const tabs = await self.clients.matchAll({ type: 'window' })
  const open = tabs.find(({ url }) => new URL(url).pathname === pathname)
  if (!open) return self.clients.openWindow(href)
  if (hash !== '') open.postMessage({ open: pathname + hash })
  return open.focus()
}
