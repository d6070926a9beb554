import { messages } from '../../messages.ts'
import { TextField } from '../../ui/field.tsx'

/** The field "Admin password". */
export const AdminPassword = (props: { value: string; onChange(value: string): void }) => (
  <TextField
    label={messages.operator.password}
    type="password"
    autoComplete="current-password"
    value={props.value}
    onChange={(event) => props.onChange(event.target.value)}
  />
)
