import { hash } from 'node:crypto'
import { LEGAL_PAGES, LegalText } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import type { GatewayConfig } from '../config.ts'
import { Header } from './document/documentation.ts'
import { publicRoute, type PublicRoute } from './public-route.ts'
import { SENT } from './sent.ts'

export const legalPage = ({ config }: { config: GatewayConfig }): PublicRoute =>
  publicRoute('GET /api/legal/:page', {
    access: 'anyone',
    summary: 'The terms, the privacy notice or the imprint, where they are configured',
    refusals: ['not_found'],
    query: Type.Object({
      language: Type.Optional(
        Type.String({ description: 'two letters; without a text in it the answer is the main one' }),
      ),
    }),
    reply: LegalText,
    document: {
      headers: Type.Object({ 'if-none-match': Type.Optional(Header('etags')) }),
      answers: {
        200: { description: 'OK', headers: { etag: Header('weak, of the text') } },
        304: { description: 'The text is one of those in `if-none-match`.' },
      },
    },
    handle: async ({ request, reply, params, query: { language: wanted = '' } }) => {
      const page = LEGAL_PAGES.find((one) => one === params['page'])
      const texts = page && config.legal[page]
      if (!texts) throw new AppError('not_found')
      const language = Object.hasOwn(texts.byLanguage, wanted) ? wanted : texts.language
      const answer = { language, text: texts.byLanguage[language] ?? '' }
      const etag = `W/"${hash('sha256', JSON.stringify(answer), 'base64url')}"`
      void reply.header('cache-control', 'no-cache').header('etag', etag)
      if (!request.headers['if-none-match']?.split(/, */).includes(etag)) return answer
      void reply.code(304).send()
      return SENT
    },
  })
