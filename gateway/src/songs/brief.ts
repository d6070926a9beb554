import { type Brief, isBlank, NewBrief } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/** The brief without nulls and empty texts; null when nothing is left. Errors: invalid_request. */
export function briefOf(sent: NewBrief): Brief | null {
  if (sent.reference && !URL.canParse(sent.reference))
    throw new AppError('invalid_request', {
      errors: [{ path: 'brief.reference', message: 'must be an https address' }],
    })
  const instruments = sent.instruments?.filter(isSaid) ?? []
  const known = { ...sent, instruments: instruments.length > 0 ? instruments : null }
  const said = (Object.keys(NewBrief.properties) as (keyof NewBrief)[])
    .map((name) => [name, known[name]] as const)
    .filter(([, value]) => isSaid(value))
  return said.length > 0 ? Object.fromEntries(said) : null
}

const isSaid = (value: unknown): boolean =>
  typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null
