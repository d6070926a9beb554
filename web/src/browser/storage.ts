/** Values kept in this browser. Where it refuses (site data blocked, quota full) nothing is kept, and nothing fails. `set` answers whether it was kept. */
function guarded(storage: () => Storage) {
  const attempt = <T>(work: (storage: Storage) => T, otherwise: T): T => {
    try {
      return work(storage())
    } catch {
      return otherwise
    }
  }
  return {
    get: (key: string): string | null => attempt((kept) => kept.getItem(key), null),
    set: (key: string, value: string): boolean =>
      attempt((kept) => {
        kept.setItem(key, value)
        return true
      }, false),
    remove: (key: string): void => attempt((kept) => kept.removeItem(key), undefined),
    keys: (): readonly string[] => attempt((kept) => Object.keys(kept), []),
  }
}

/** Kept until removed, shared by all tabs. */
export const localStore = guarded(() => localStorage)
/** Kept as long as this tab. */
export const sessionStore = guarded(() => sessionStorage)

let warn = (): void => {}
/** Sets what tells a person, once, that a reload will lose their words. */
export const onWordsNotKept = (tell: () => void): void => void (warn = tell)

/** Keeps in this tab what a person types; null or empty is removed. */
export function keepWords(key: string, words: string | null): void {
  if (!words) return sessionStore.remove(key)
  if (sessionStore.set(key, words)) return
  warn()
  warn = () => {}
}

const MOST_VALUES = 50

/** Values by name under one key of a storage, which they cannot fill: those that were set longest ago are removed. */
export function lastValues<T>(store: typeof localStore, key: string) {
  type Named = readonly [name: string, value: T]
  const load = (): readonly Named[] => {
    try {
      return JSON.parse(store.get(key) ?? '[]') as Named[]
    } catch {
      return []
    }
  }
  return {
    get: (name: string): T | undefined => new Map(load()).get(name),
    names: (): readonly string[] => load().map(([name]) => name),
    /** Undefined removes it. */
    set(name: string, value: T | undefined): void {
      const others = load().filter(([other]) => other !== name)
      const all: readonly Named[] = value === undefined ? others : [...others, [name, value]]
      if (all.length === 0) store.remove(key)
      else store.set(key, JSON.stringify(all.slice(-MOST_VALUES)))
    },
  }
}
