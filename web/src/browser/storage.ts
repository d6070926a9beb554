/** Values kept in this browser. Where it refuses (site data blocked, quota full) nothing is kept, and nothing fails. */
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
    set: (key: string, value: string): void => attempt((kept) => kept.setItem(key, value), undefined),
    remove: (key: string): void => attempt((kept) => kept.removeItem(key), undefined),
    keys: (): readonly string[] => attempt((kept) => Object.keys(kept), []),
  }
}

/** Kept until removed, shared by all tabs. */
export const localStore = guarded(() => localStorage)
/** Kept as long as this tab. */
export const sessionStore = guarded(() => sessionStorage)
