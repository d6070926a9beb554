import { signIn } from '../api/session.ts'
import { messages } from '../messages.ts'
import { Button } from './button.tsx'
import type { Tape } from './cassette.tsx'
import { Notice } from './notice.tsx'

/** What a visitor sees of a page that needs a person. */
export const SignInFirst = ({ title, tape = 'none' }: { title: string; tape?: Tape }) => (
  <Notice tape={tape} title={title}>
    <p>{messages.signInFirst}</p>
    <Button variant="primary" onClick={signIn}>
      {messages.statement.signIn}
    </Button>
  </Notice>
)
