/** What a handler returns that has answered by itself. A reply is awaitable, so returning it would wait for its end. */
export const SENT = Symbol('sent')
export type Sent = typeof SENT
