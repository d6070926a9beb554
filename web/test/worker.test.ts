import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

/** The service worker with these tabs open: what a click on a notification does. */
async function clicked(address: string, tabs: readonly string[]): Promise<string[]> {
  const did: string[] = []
  const listeners: Record<string, (event: object) => void> = {}
  const clients = {
    matchAll: async () =>
      tabs.map((url) => ({
        url,
        focus: async () => did.push(`focus ${url}`),
        postMessage: ({ open }: { open: string }) => did.push(`go to ${open}`),
      })),
    openWindow: async (url: string) => did.push(`open ${url}`),
  }
  const self = {
    location: new URL('https://prelude.test/sw.js'),
    clients,
    addEventListener: (name: string, listener: (event: object) => void) => (listeners[name] = listener),
  }
  runInNewContext(readFileSync(new URL('../src/offline/worker.js', import.meta.url), 'utf8'), { self, URL })
  await new Promise((resolve) => {
    listeners['notificationclick']?.({
      notification: { data: address, close: () => {} },
      waitUntil: resolve,
    })
  })
  return did
}

const PAGE = 'https://prelude.test/songs/one'

test('a notification comes to the tab that shows its page, and goes to the part that it is about', async () => {
  expect(await clicked('/songs/one', ['https://prelude.test/', PAGE])).toEqual([`focus ${PAGE}`])
  expect(await clicked('/songs/one#messages', [PAGE])).toEqual(['go to /songs/one#messages', `focus ${PAGE}`])
  expect(await clicked('/songs/one#messages', ['https://prelude.test/'])).toEqual([`open ${PAGE}#messages`])
})
