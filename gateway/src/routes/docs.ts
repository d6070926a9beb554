import type { FastifyInstance } from 'fastify'
import type { GatewayConfig } from '../config.ts'
import { escapeHtml } from '../plugins/web.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import { SENT } from '../sent.ts'

interface Documented {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
}

/** The API's document, made from the very schemas that validate, and the same for people. */
export function docs(app: FastifyInstance, config: GatewayConfig): PublicRoute[] {
  const common = { method: 'GET', access: 'anyone', area: 'About', hidden: true } as const
  return [
    publicRoute({
      ...common,
      url: '/api/openapi.json',
      summary: 'This document',
      handle: async () => app.swagger(),
    }),
    publicRoute({
      ...common,
      url: '/api/docs',
      summary: 'This document for people',
      handle: async ({ reply }) => {
        const { paths = {} } = app.swagger() as { paths?: Record<string, Record<string, Documented>> }
        void reply.type('text/html; charset=utf-8').send(page(config.brandName, paths))
        return SENT
      },
    }),
  ]
}

function page(brand: string, paths: Record<string, Record<string, Documented>>): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), call })),
  )
  const areas = [...new Set(calls.map(({ call }) => call.tags?.[0] ?? ''))]
  const sections = areas.map((area) => {
    const items = calls.filter(({ call }) => call.tags?.[0] === area).map(item)
    return `<section><h2>${escapeHtml(area)}</h2>${items.join('')}</section>`
  })
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand)} API</title></head>
<body><main><h1>${escapeHtml(brand)} API</h1>
<p>The same as a machine reads it: <a href="/api/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</main></body>
</html>
`
}

function item({ path, method, call }: { path: string; method: string; call: Documented }): string {
  const [head, ...refusals] = (call.description ?? '').split('\n- ')
  const list = refusals.map((one) => `<li>${escapeHtml(one.replaceAll('`', ''))}</li>`).join('')
  return `<h3><code>${method} ${escapeHtml(path)}</code></h3><p>${escapeHtml(call.summary ?? '')}.</p>${
    list && `<p>${escapeHtml(head ?? '')}</p><ul>${list}</ul>`
  }`
}
