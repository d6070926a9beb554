/** Limits crashes: true once there are more than `max` within `windowMs`. */
export function crashLimit(max: number, windowMs: number): (now: number) => boolean {
  let crashes: number[] = []
  return (now) => {
    crashes = [...crashes.filter((at) => at > now - windowMs), now]
    return crashes.length > max
  }
}
