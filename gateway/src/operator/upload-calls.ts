import { MAX_AUDIO_BYTES } from '@prelude/contracts'
import { Type } from 'typebox'
import { Binary, type Documentation, Header } from '../api/document/documentation.ts'

/** One call of tus 1.0: on the uploads, or on one of them. */
export interface UploadCall {
  readonly method: 'POST' | 'OPTIONS' | 'HEAD' | 'PATCH' | 'DELETE'
  readonly isOne: boolean
  readonly summary: string
  readonly status: number
  readonly document: Documentation
}

const MAX_MIB = MAX_AUDIO_BYTES / 2 ** 20
const version = { 'tus-resumable': Type.String({ enum: ['1.0.0'] }) }
const said = { 'tus-resumable': Header('1.0.0') }
const expires = { 'upload-expires': Header('when what is not attached goes: after 24 hours') }
const offset = { 'upload-offset': Header('how many bytes are there') }
/** Statuses are those of the protocol, whatever our own code is called elsewhere. */
const refused = { 400: ['invalid_request'], 412: ['invalid_request'], 413: ['file_too_large'] } as const
const refusedOne = {
  ...refused,
  404: ['upload_not_found'],
  410: ['upload_not_found'],
} as const

const abilities = {
  summary: 'What resumable uploads can do (tus 1.0)',
  method: 'OPTIONS',
  status: 204,
  document: {
    statuses: refused,
    answers: {
      204: {
        description: 'Said in headers.',
        headers: {
          ...said,
          'tus-version': Header('1.0.0'),
          'tus-extension': Header('creation, termination and others'),
          'tus-max-size': Header(`${MAX_MIB} MiB in bytes`),
        },
      },
    },
  },
} as const

export const UPLOAD_CALLS: readonly UploadCall[] = [
  {
    method: 'POST',
    isOne: false,
    summary: 'Begins a resumable upload (tus 1.0)',
    status: 201,
    document: {
      description: 'The id is the last part of `location`.',
      headers: Type.Object({
        ...version,
        'upload-length': Type.String({
          pattern: '^[0-9]{1,9}$',
          description: `bytes to come, up to ${MAX_MIB} MiB`,
        }),
        'upload-metadata': Type.Optional(Header('filename and filetype, each value in Base64')),
      }),
      statuses: refused,
      answers: {
        201: {
          description: 'Begun.',
          headers: { ...said, ...expires, location: Header('where the bytes go') },
        },
      },
    },
  },
  { ...abilities, isOne: false },
  {
    method: 'HEAD',
    isOne: true,
    summary: 'How far a resumable upload is',
    status: 200,
    document: {
      headers: Type.Object(version),
      statuses: refusedOne,
      answers: {
        200: {
          description: 'Said in headers.',
          headers: { ...said, ...offset, ...expires, 'upload-length': Header('how many there will be') },
        },
      },
    },
  },
  {
    method: 'PATCH',
    isOne: true,
    summary: 'Bytes of a resumable upload',
    status: 204,
    document: {
      headers: Type.Object({
        ...version,
        'upload-offset': Type.String({ pattern: '^[0-9]{1,9}$', description: 'where these bytes begin' }),
      }),
      bodies: { 'application/offset+octet-stream': Binary },
      statuses: {
        ...refusedOne,
        409: ['invalid_request'],
        413: ['file_too_large', 'body_too_large'],
        415: ['unsupported_media_type', 'invalid_request'],
      },
      answers: { 204: { description: 'Taken.', headers: { ...said, ...offset, ...expires } } },
    },
  },
  {
    method: 'DELETE',
    isOne: true,
    summary: 'Gives a resumable upload up',
    status: 204,
    document: {
      headers: Type.Object(version),
      statuses: refusedOne,
      answers: { 204: { description: 'Gone.', headers: said } },
    },
  },
  { ...abilities, isOne: true, document: { ...abilities.document, statuses: refusedOne } },
]
