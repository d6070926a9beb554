import { text as readText } from 'node:stream/consumers'
import { type Code, type Problem, PROBLEMS, uploadCode } from '@prelude/contracts'
import { AppError, type CallReply, type CallRequest, problemOf, type ServiceCall } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { passOn, requestHeaders } from '../api/pass-on.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { SENT, type Sent } from '../api/sent.ts'
import { asUploadFailed, streamedBody } from './placements.ts'
import { UPLOAD_CALLS, type UploadCall } from './upload-calls.ts'

type Deps = { calls: ServiceCall }

const BASE = '/api/operator/uploads'

const UPLOAD_REQUEST = [
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-defer-length',
  'upload-concat',
  'content-type',
  'content-length',
]
const UPLOAD_ANSWER = [
  'tus-resumable',
  'tus-version',
  'tus-extension',
  'tus-max-size',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-defer-length',
  'upload-expires',
  'content-type',
  'content-length',
]

/** tus 1.0: storage implements the protocol, the gateway the addresses. */
export const uploads = (deps: Deps): PublicRoute[] => UPLOAD_CALLS.map((call) => upload(deps, call))

const upload = (deps: Deps, { method, isOne, summary, status, document }: UploadCall): PublicRoute =>
  publicRoute(`${method} ${BASE}${isOne ? '/:id' : ''}`, {
    access: 'unlocked',
    action: 'upload',
    summary,
    refusals: ['upload_failed', 'request_timeout'],
    document,
    status,
    limit: 'none',
    body: 'stream',
    head: false,
    handle: async ({ request, reply, params: { id } }) => {
      if (id !== undefined && !/^[\w-]{1,128}$/.test(id)) throw new AppError('upload_not_found')
      const call: CallRequest = {
        method: request.method,
        path: id === undefined ? '/uploads' : `/uploads/${id}`,
        headers: requestHeaders(request, UPLOAD_REQUEST),
        ...(request.method === 'POST' || request.method === 'PATCH' ? streamedBody(request) : {}),
      }
      try {
        return await passUpload(request, reply, await deps.calls.call('storage', call))
      } catch (error) {
        throw asUploadFailed(error as Error, call)
      }
    },
  })

async function passUpload(request: FastifyRequest, reply: FastifyReply, answer: CallReply): Promise<Sent> {
  const { location } = answer.headers
  if (location !== undefined) void reply.header('location', `${BASE}/${location.split('/').at(-1) ?? ''}`)
  void reply.header('cache-control', 'no-store')
  if (answer.status >= 400) return refuseUpload(request, reply, answer)
  return passOn(reply, answer, UPLOAD_ANSWER)
}

/** tus defines only statuses; this API answers a problem document with each. */
async function refuseUpload(request: FastifyRequest, reply: FastifyReply, answer: CallReply): Promise<Sent> {
  const refusal = refusalIn(await readText(answer.body)) ?? new AppError(uploadCode(answer.status))
  request.problemCode = refusal.code
  for (const name of UPLOAD_ANSWER.filter((one) => one.startsWith('tus-') || one.startsWith('upload-'))) {
    const value = answer.headers[name]
    if (value !== undefined) void reply.header(name, value)
  }
  void reply
    .code(answer.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemOf(refusal, request.id, answer.status)))
  return SENT
}

/** Refusals of the internal call, not of what was uploaded. */
const OF_THE_CALL: readonly string[] = ['not_found', 'clock_skew'] satisfies Code[]

/** The answer to HEAD has none. */
function refusalIn(text: string): AppError | null {
  try {
    const { code, detail } = JSON.parse(text) as Problem
    return code in PROBLEMS && !OF_THE_CALL.includes(code) ? new AppError(code as Code, { detail }) : null
  } catch {
    return null
  }
}
