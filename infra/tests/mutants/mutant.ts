/** A bug planted in a copy of the product: text that is replaced, and the tests that must turn red. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** By file: the beginnings of titles. */
  readonly red: Readonly<Record<string, readonly string[]>>
}

export interface Edit {
  readonly file: string
  /** Found exactly once. */
  readonly from: string
  readonly to: string
}
