import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsStub, songsStub } from './stand-ins.ts'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

let gateway: TestGateway
let ada: Browser
let visitor: Browser

beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songsStub().routes, credits: creditsStub().routes } })
  ada = await gateway.signIn()
  visitor = gateway.visitor()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('caches', () => {
  test.for<[string, string, number, string]>([
    ['GET', '/api/songs', 200, 'no-store'],
    ['GET', '/api/credits', 200, 'no-store'],
    ['GET', '/api/payment-methods', 200, 'no-store'],
    ['GET', '/api/openapi.json', 200, 'no-store'],
    ['POST', '/api/songs', 400, 'no-store'],
    ['GET', '/api/payments', 503, 'no-store'],
    ['GET', '/api/nope', 404, 'no-store'],
    ['DELETE', '/api/songs', 405, 'no-store'],
    ['GET', '/', 200, 'no-cache'],
    ['GET', '/assets/app-abc.js', 200, 'public, max-age=31536000, immutable'],
  ])('%s %s (%i) says %s', async ([method, path, status, expected]) => {
    const answer = await ada.send(path, { method })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, expected])
  })

  test('an answer to a stranger is not cached either', async () => {
    expect((await visitor.get('/api/me')).headers.get('cache-control')).toBe('no-store')
  })
})
