import { expect, test } from 'vitest'
import { caller, productOfFile } from './callers.ts'

const product = productOfFile()

/** Every row of the contract. */
const CALLS = [
  'get /api/auth/login',
  'get /api/auth/callback',
  'post /api/auth/logout',
  'get /api/me',
  'post /api/songs',
  'get /api/songs',
  'get /api/songs/{id}',
  'get /api/songs/{id}/versions/{n}',
  'get /api/songs/{id}/versions/{n}/waveform',
  'get /api/songs/{id}/download',
  'get /api/credits',
  'get /api/credits/entries',
  'get /api/payment-methods',
  'get /api/geo',
  'post /api/payments',
  'post /api/payments/alternate',
  'get /api/get-session',
  'get /api/payments',
  'get /api/payments/{id}',
  'post /api/webhooks/stripe',
  'post /api/payments/naira-transfers',
  'post /api/operator/unlock',
  'post /api/operator/lock',
  'get /api/operator/songs',
  'post /api/operator/songs/{id}/fulfil',
  'post /api/operator/songs/{id}/refund',
  'put /api/operator/songs/{id}/versions/{n}',
  'post /api/operator/uploads',
  'patch /api/operator/uploads/{id}',
  'get /api/operator/transfers',
  'post /api/operator/transfers',
  'post /api/operator/transfers/{id}/confirm',
  'post /api/operator/transfers/{id}/reject',
  'post /api/operator/credits',
  'post /api/operator/payments/{id}/refund',
  'get /api/operator/people',
  'get /api/operator/payments',
  'get /api/operator/audit',
  'get /api/live',
]

interface Operation {
  summary?: string
  operationId?: string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, unknown> }
  responses?: Record<string, { description?: string; content?: Record<string, unknown> }>
}

test('the document names every call, with a body where one is read and problem documents for refusals', async () => {
  const visitor = caller(product())
  const { status, headers, body } = await visitor<{
    openapi: string
    info: { title: string; version: string }
    paths: Record<string, Record<string, Operation>>
  }>('GET', '/api/openapi.json')
  expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)])
  expect(body.openapi).toMatch(/^3\.1\./)
  expect(body.info.title).toContain('Prelude')
  const page = (await visitor<string>('GET', '/api/docs')).body
  const ids: string[] = []
  for (const call of CALLS) {
    const [method = '', path = ''] = call.split(' ')
    const operation = body.paths[path]?.[method]
    expect([call, operation?.summary]).toEqual([call, expect.stringMatching(/\w/)])
    expect([call, Object.keys(operation?.responses ?? {}).length > 1]).toEqual([call, true])
    for (const [name] of path.matchAll(/(?<=\{)\w+(?=\})/g))
      expect([call, operation?.parameters?.find((one) => one.name === name)?.in]).toEqual([call, 'path'])
    if (operation?.operationId !== undefined) ids.push(operation.operationId)
    expect(page).toContain(path)
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(body.paths['/api/songs']?.['post']?.requestBody?.content).toHaveProperty('application/json')
  expect(JSON.stringify(body.paths['/api/songs']?.['post']?.responses)).toContain('application/problem+json')
  expect(JSON.stringify(body)).not.toMatch(/\/work\/|node_modules|"\$id"/)
})
