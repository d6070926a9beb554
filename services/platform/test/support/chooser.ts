/** Random numbers that follow from `seed` alone: `choose(n)` is a whole number from 0 to below `n`. */
export function chooser(seed: number): (n: number) => number {
  let state = seed >>> 0
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}
