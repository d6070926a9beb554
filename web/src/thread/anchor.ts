/** The thread of a song on its owner's page. */
export const THREAD_ANCHOR = 'messages'
export const threadAddress = (songId: string): string => `/songs/${songId}#${THREAD_ANCHOR}`
