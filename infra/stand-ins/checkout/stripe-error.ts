/** An error in Stripe's format. */
export class StripeError extends Error {
  override readonly name = 'StripeError'
  readonly status: number
  readonly body: { error: Record<string, string> }

  constructor(status: number, error: { type: string; message: string; code?: string; param?: string }) {
    super(error.message)
    this.status = status
    this.body = { error }
  }
}

export const invalid = (code: string | null, param: string | null, message: string): StripeError =>
  new StripeError(400, {
    type: 'invalid_request_error',
    message,
    ...(code !== null && { code }),
    ...(param !== null && { param }),
  })

export const missing = (what: string, id: string): StripeError =>
  new StripeError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'id',
    message: `No such ${what}: '${id}'`,
  })
