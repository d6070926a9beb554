/** How long a copied text is confirmed by a tick, and a hashtag of the landing page is shown. */
const TICK_MS = 1_500
const HASHTAG_MS = 2_000

/** Ends the tick. The returned function cancels it. */
export function afterTick(end: () => void): () => void {
  const timer = setTimeout(end, TICK_MS)
  return () => clearTimeout(timer)
}

/** Shows the next hashtag, again and again, until the returned function is called. */
export function atEachHashtag(showNext: () => void): () => void {
  const timer = setInterval(showNext, HASHTAG_MS)
  return () => clearInterval(timer)
}
