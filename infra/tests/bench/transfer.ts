import { runBeside } from './beside.ts'
import { wavHead } from '../../stand-ins/generator/wav.ts'

export interface Call {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string | number>>
  /** Uploads a file of this size; downloads if neither this nor `json` is given. */
  readonly fileBytes?: number
  /** The multipart form's bytes around the file. */
  readonly before?: string
  readonly after?: string
  /** Sent as it is; counts for no bytes. */
  readonly json?: string
}

export interface Transfer {
  readonly atOnce: number
  /** base64: the first bytes of each file that is sent. */
  readonly fileHead: string
  /** Calls of one list are made one after the other. */
  readonly calls: readonly (Call | readonly Call[])[]
}

export interface TransferResult {
  readonly bytes: number
  readonly seconds: number
  /** Bytes a second. */
  readonly perSecond: number
}

/** Errors: a call was refused. */
export const runTransfer = (transfer: Transfer): Promise<TransferResult> =>
  runBeside('transfer-process.ts', transfer)

/** The header of a WAV file of `bytes` in total: 16 bits, stereo, 44.1 kHz. */
export const audioHead = (bytes: number): Buffer => wavHead(bytes, { rate: 44_100, channels: 2, bits: 16 })
