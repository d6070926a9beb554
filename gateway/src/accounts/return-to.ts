const MAX_LENGTH = 2048

/** The page after sign-in: a path of this origin outside /api, with its query and fragment; else `/`. */
export function safeReturnTo(wish: string | undefined, publicUrl: string): string {
  if (
    wish === undefined ||
    wish.length > MAX_LENGTH ||
    !wish.startsWith('/') ||
    !URL.canParse(wish, publicUrl)
  )
    return '/'
  const url = new URL(wish, publicUrl)
  if (url.origin !== publicUrl || /^[/\\]{2}/.test(wish)) return '/'
  if (/^\/+api(\/|$)/i.test(decoded(url.pathname)) || url.pathname.startsWith('//')) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
