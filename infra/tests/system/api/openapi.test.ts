import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { caller, sharedProduct, somebody, unlockedOperator } from '../../support/callers.ts'
import { assertDocumented, checked, compile, type Document, operationsOf } from './document.ts'
import { callEverything } from './whole-api.ts'

/** The contract: the operations of the public endpoint, by who may call them. */
const CONTRACT = {
  anyone: [
    'GET /healthz',
    'GET /api/auth/login',
    'GET /api/auth/callback',
    'POST /api/auth/logout',
    'GET /api/geo',
    'GET /api/promise',
    'GET /api/payment-methods',
    'POST /api/client-errors',
    'POST /api/web-vitals',
    'GET /api/shares/{id}',
    'GET /api/shares/{id}/versions/{n}',
    'HEAD /api/shares/{id}/versions/{n}',
    'GET /api/shares/{id}/versions/{n}/waveform',
    'GET /api/certificates/{id}',
    'GET /api/legal/{page}',
    'POST /api/webhooks/stripe',
    'POST /api/webhooks/paystack',
    'GET /api/openapi.json',
    'GET /api/docs',
  ],
  person: [
    'GET /api/me',
    'POST /api/songs',
    'GET /api/songs',
    'GET /api/songs/{id}',
    'PATCH /api/songs/{id}',
    'POST /api/songs/{id}/cancel',
    'POST /api/songs/{id}/changes',
    'POST /api/songs/{id}/accept',
    'GET /api/songs/{id}/messages',
    'POST /api/songs/{id}/messages',
    'POST /api/songs/{id}/messages/read',
    'POST /api/songs/{id}/shares',
    'GET /api/songs/{id}/shares',
    'DELETE /api/shares/{id}',
    'GET /api/songs/{id}/versions/{n}',
    'HEAD /api/songs/{id}/versions/{n}',
    'GET /api/songs/{id}/versions/{n}/waveform',
    'GET /api/songs/{id}/download',
    'GET /api/songs/{id}/certificate.pdf',
    'GET /api/credits',
    'GET /api/credits/debt',
    'GET /api/credits/entries',
    'POST /api/payments',
    'POST /api/payments/alternate',
    'POST /api/payments/naira-transfers',
    'GET /api/get-session',
    'GET /api/payments',
    'GET /api/payments/{id}',
    'GET /api/live',
    'GET /api/notices',
    'POST /api/notices/read',
    'GET /api/preferences',
    'PUT /api/preferences',
    'GET /api/push-key',
    'POST /api/push-subscriptions',
    'DELETE /api/push-subscriptions/{id}',
    'GET /api/sessions',
    'DELETE /api/sessions/{id}',
    'POST /api/auth/logout-everywhere',
    'GET /api/account/export',
    'GET /api/account/closing',
    'POST /api/account/close',
  ],
  operator: [
    'POST /api/operator/unlock',
    'POST /api/operator/lock',
    'GET /api/operator/songs',
    'POST /api/operator/songs/{id}/fulfil',
    'POST /api/operator/songs/{id}/refund',
    'POST /api/operator/songs/{id}/start',
    'POST /api/operator/songs/{id}/release',
    'POST /api/operator/songs/{id}/decline',
    'POST /api/operator/songs/{id}/changes',
    'PUT /api/operator/songs/{id}/note',
    'PUT /api/operator/songs/{id}/made',
    'POST /api/operator/songs/{id}/messages',
    'POST /api/operator/songs/{id}/messages/read',
    'POST /api/operator/songs/{id}/drafts',
    'GET /api/operator/songs/{id}/drafts',
    'GET /api/operator/drafts/{id}/audio',
    'HEAD /api/operator/drafts/{id}/audio',
    'DELETE /api/operator/drafts/{id}',
    'PUT /api/operator/songs/{id}/versions/{n}',
    'POST /api/operator/uploads',
    'OPTIONS /api/operator/uploads',
    'HEAD /api/operator/uploads/{id}',
    'PATCH /api/operator/uploads/{id}',
    'DELETE /api/operator/uploads/{id}',
    'OPTIONS /api/operator/uploads/{id}',
    'GET /api/operator/transfers',
    'POST /api/operator/transfers',
    'POST /api/operator/transfers/{id}/confirm',
    'POST /api/operator/transfers/{id}/reject',
    'POST /api/operator/credits',
    'POST /api/operator/payments/{id}/refund',
    'GET /api/operator/people',
    'GET /api/operator/people/{id}/export',
    'POST /api/operator/people/{id}/close',
    'DELETE /api/operator/people/{uid}/sessions',
    'GET /api/operator/debts',
    'GET /api/operator/payments',
    'GET /api/operator/audit',
    'GET /api/operator/ops',
    'GET /api/operator/ops/live',
    'POST /api/operator/ops/dead-letters/{service}/{id}/replay',
    'POST /api/operator/ops/dead-letters/{service}/{id}/discard',
    'POST /api/operator/ops/dead-letters/{service}/replay',
    'POST /api/operator/ops/mails/{id}/resend',
  ],
}

const product = await sharedProduct()
const { body: document } = await caller(product)<Document>('GET', '/api/openapi.json')

test('the web app calls operations of the contract alone', () => {
  const routes = readFileSync(new URL('../../../../web/src/api/routes.ts', import.meta.url), 'utf8')
  const called = [...routes.matchAll(/^ {2}'([A-Z]+ [^']+)'/gm)].map(([, route = '']) => route)
  const unnamed = (route: string): string => route.replaceAll(/:\w+|\{\w+\}/g, ':')
  const contract = Object.values(CONTRACT).flat().map(unnamed)
  expect(called.length).toBeGreaterThan(50)
  expect(called.filter((route) => !contract.includes(unnamed(route)))).toEqual([])
})

test('the document is valid OpenAPI 3.1: references, parameters, schemas and names', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({
    title: expect.stringContaining('Prelude'),
    version: expect.stringMatching(/./),
  })
  expect(JSON.stringify(document)).not.toMatch(/node_modules|"\$id"/)
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  expect(refs.length).toBeGreaterThan(100)
  for (const [, name = ''] of refs) expect(document.components.schemas).toHaveProperty([name])
  for (const schema of Object.values(document.components.schemas)) compile(document, schema)

  const operations = operationsOf(document)
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(operations.length)
  for (const { name, path, operation } of operations) {
    expect([name, operation.summary, operation.tags]).toEqual([
      name,
      expect.stringMatching(/./),
      [expect.any(String)],
    ])
    const parameters = operation.parameters ?? []
    const inPath = parameters.filter((one) => one.in === 'path')
    expect(inPath.map((one) => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every((one) => one.required)).toBe(true)
    expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length)
    for (const one of parameters) {
      expect(['path', 'query', 'header']).toContain(one.in)
      compile(document, one.schema)
    }
    const contents = [operation.requestBody?.content ?? {}]
    for (const [status, answer] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/)
      expect(answer.description).toMatch(/./)
      contents.push(answer.content ?? {})
    }
    for (const [type, { schema }] of contents.flatMap(Object.entries<{ schema: Record<string, unknown> }>)) {
      expect(type).toMatch(/^[\w-]+\/[\w*+.-]+$/)
      compile(document, schema)
    }
  }
})

test('the document has exactly the routes of the public endpoint, and who may call them', async () => {
  const operations = operationsOf(document)
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.values(CONTRACT).flat().toSorted())
  for (const path of Object.keys(document.paths)) {
    const sent = path.replace('{id}', 'x').replace('{n}', '1').replace('{service}', 'songs')
    const { status, headers } = await caller(product)('PROPFIND', sent)
    const documented = operations.filter((one) => one.path === path).flatMap(({ name }) => name.split(' ', 1))
    // GET includes HEAD
    const allowed = (headers.allow ?? '').split(', ').filter((method) => method !== 'HEAD')
    const expected = [...new Set(documented)].filter((method) => method !== 'HEAD').toSorted()
    expect([path, status, allowed]).toEqual([path, 405, expected])
  }
  for (const { name, operation } of operations) {
    const needsSession = (operation.security ?? []).some(
      (one) => 'session' in one && operation.security?.length === 1,
    )
    const isOpen = CONTRACT.anyone.includes(name)
    expect([name, needsSession, '401' in operation.responses]).toEqual([name, !isOpen, !isOpen])
    const codes = JSON.stringify(operation.responses['403'] ?? {})
    expect([name, codes.includes('operator_only')]).toEqual([name, CONTRACT.operator.includes(name)])
  }
})

test('the answer of every call to valid input matches the document in status, content type and body', async () => {
  const called = new Set<string>()
  const visitor = checked(document, caller(product), called)
  const everybody = [await somebody(product), await unlockedOperator(product)] as const
  const [person, operator] = everybody.map((one) => ({ ...one, call: checked(document, one.call, called) }))
  if (!person || !operator) throw new Error('nobody')
  await callEverything({ product, visitor, person, operator })
  called.add(await listen(person.cookie, '/api/live', 'event: ready'))
  called.add(await listen(operator.cookie, '/api/operator/ops/live', 'event: ops'))
  const { password } = product.endpoints.operator
  const closing = await person.call<{ email: string; credits: number }>('GET', '/api/account/closing')
  expect((await person.call('POST', '/api/account/close', { json: closing.body })).status).toBe(409)
  const target = `/api/operator/people/${person.uid}`
  expect((await operator.call('DELETE', `${target}/sessions`)).status).toBe(204)
  const end = `${target}/close`
  expect((await operator.call('POST', end, { json: { reason: 'test' } })).status).toBe(200)
  const { call, email } = await somebody(product)
  const newcomer = checked(document, call, called)
  await somebody(product, { email })
  const { body: sessions } = await newcomer<{ items: { id: string; current: boolean }[] }>(
    'GET',
    '/api/sessions',
  )
  const elsewhere = sessions.items.find(({ current }) => !current)
  expect((await newcomer('DELETE', `/api/sessions/${elsewhere?.id}`)).status).toBe(204)
  expect((await newcomer('POST', '/api/auth/logout-everywhere')).status).toBe(204)
  const none = await newcomer<{ email: string; credits: number }>('GET', '/api/account/closing')
  expect((await newcomer('POST', '/api/account/close', { json: none.body })).status).toBe(200)
  expect((await operator.call('POST', '/api/operator/lock')).status).toBe(204)
  expect((await operator.call('POST', '/api/operator/unlock', { json: { password } })).status).toBe(204)
  expect((await operator.call('POST', '/api/auth/logout')).status).toBe(204)
  expect(operationsOf(document).flatMap(({ name }) => (called.has(name) ? [] : [name]))).toEqual([])
})

/** Reads a stream until its first event. */
async function listen(cookie: string, path: string, event: string): Promise<string> {
  const leave = new AbortController()
  const response = await fetch(`${product.endpoints.web}${path}`, {
    headers: { cookie },
    signal: leave.signal,
  })
  const reader = response.body?.getReader()
  const first = new TextDecoder().decode((await reader?.read())?.value)
  leave.abort()
  expect(first).toContain(event)
  const headers = Object.fromEntries(response.headers)
  return assertDocumented(document, 'GET', path, { status: response.status, headers, body: first })
}
