import { markDirections } from '@prelude/contracts'
import { OPERATOR_POINTS, truncate } from '../../text/truncate.ts'

/** The beginning of a person's text, as the operator's lists show it. */
export const excerpt = (text: string): string =>
  truncate(markDirections(text.slice(0, 2 * (OPERATOR_POINTS + 1))), OPERATOR_POINTS)
