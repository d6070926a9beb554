/** Limits crashes: true once there are more than `max` within `windowMs`. */
export function crashLimit(max: number, windowMs: number): (now: number) => boolean {
  let crashes: number[] = []
  return (now) => {
    crashes = [...crashes.filter((at) => at > now - windowMs), now]
    return crashes.length > max
  }
}

/**
 * Why a consumer ended. `cluster`: it could not join or was refused, which a new process would not change; a broker may apply
 * new rules only after a moment. `passing`: kafkajs would restart it. `lasting`: a restart would not help.
 */
export type Fault = 'cluster' | 'passing' | 'lasting'

/** Of a consumer that crashed; whether a restart may help is decided as kafkajs does. */
export function faultOf(error: Error): Fault {
  const causes: (Error & { type?: string; retriable?: boolean })[] = []
  for (let one: unknown = error; one instanceof Error; one = one.cause) causes.push(one)
  if (causes.some(({ type }) => type?.endsWith('_AUTHORIZATION_FAILED'))) return 'cluster'
  const isRetriable = error.name === 'KafkaJSNumberOfRetriesExceeded' || causes.at(-1)?.retriable === true
  return isRetriable ? 'passing' : 'lasting'
}
