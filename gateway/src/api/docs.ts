import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { GatewayConfig } from '../config.ts'
import { docsPage, type Document } from './document/page.ts'
import { keptCompressed, sendCompressed } from './plugins/compressed.ts'
import { createStyleLinks } from './plugins/web.ts'
import { publicRoute, type PublicRoute } from './public-route.ts'
import { SENT } from './sent.ts'

/** The API's document, made from the very schemas that validate, and the same for people. */
export function docs(app: FastifyInstance, config: GatewayConfig): PublicRoute[] {
  const styleLinks = createStyleLinks(config)
  const [json, page] = [keptCompressed(), keptCompressed()]
  return [
    publicRoute('GET /api/openapi.json', {
      access: 'anyone',
      summary: 'This document',
      reply: Type.Object({ openapi: Type.String(), paths: Type.Object({}) }),
      handle: async ({ request, reply }) => {
        void reply.type('application/json; charset=utf-8')
        sendCompressed(
          request,
          reply,
          json('', () => JSON.stringify(app.swagger())),
        )
        return SENT
      },
    }),
    publicRoute('GET /api/docs', {
      access: 'anyone',
      summary: 'This document for people',
      document: { answers: { 200: { description: 'A page.', content: { 'text/html': Type.String() } } } },
      handle: async ({ request, reply }) => {
        const links = await styleLinks()
        const make = () => docsPage(config.brandName, links, app.swagger() as unknown as Document)
        void reply.type('text/html; charset=utf-8')
        sendCompressed(request, reply, page(links, make))
        return SENT
      },
    }),
  ]
}

/** A file of its own: the content security policy refuses inline style. */
export async function sendDocsStyle(_request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const style = await readFile(new URL('./document/page.css', import.meta.url), 'utf8')
  void reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache')
  return style
}
