/** The parts of a browser that modules of the app use. Import it first: some use them while they load. */

const listeners: Record<string, (event: object) => void> = {}
/** What localStorage keeps. */
const stored = new Map<string, string>()
/** The root element. */
const root = { lang: '' }

Object.assign(globalThis, {
  document: { querySelector: () => null, documentElement: root },
  localStorage: new Proxy(
    {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
    {
      ownKeys: () => [...stored.keys()],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  ),
  addEventListener: (name: string, listener: (event: object) => void) => (listeners[name] = listener),
})

export const browser = { listeners, stored, root }
