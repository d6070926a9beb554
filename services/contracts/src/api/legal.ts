import { type Static, Type } from 'typebox'

/** A legal text of the operator; see LEGAL_PAGES. */
export const LegalText = Type.Object({
  language: Type.String({ description: 'of the text, two letters' }),
  text: Type.String({
    description: 'plain text: # and ## begin headings, - items of lists, [words](address) is a link',
  }),
})
export type LegalText = Static<typeof LegalText>
