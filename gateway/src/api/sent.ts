/** Returned by a handler that has sent its response itself. Returning the reply instead would wait for the end of the response. */
export const SENT = Symbol('sent')
export type Sent = typeof SENT
