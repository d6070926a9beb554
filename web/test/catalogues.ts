import { OPERATOR_CATALOGUES, PERSON_CATALOGUES, VISITOR_CATALOGUES } from '../src/languages.ts'
import { type Language, merged, type Messages } from '../src/messages.ts'

/** The texts of all pages in a language. Import browser.ts before it. */
export const messagesIn = async (language: Language): Promise<Messages> =>
  merged(
    await Promise.all(
      [VISITOR_CATALOGUES, PERSON_CATALOGUES, OPERATOR_CATALOGUES].map((one) => one[language]!()),
    ),
  )
