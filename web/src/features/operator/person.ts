import { markDirections } from '@prelude/contracts'

/** The name, else the address. */
export const nameOf = ({ name, email }: { name?: string | null; email: string | null }): string =>
  markDirections(name ?? email ?? '')
