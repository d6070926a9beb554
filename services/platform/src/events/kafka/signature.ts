import { ownerOf, type Topic } from '@prelude/contracts'
import type { Identity } from '../../identity.ts'

/**
 * The broker is not trusted with the origin of events: the forwarder signs each message with the key of its service, and
 * consumers verify that with the public key of the service that owns the topic, before any effect (decision 29).
 */
export const SIGNATURE_HEADER = 'signature'

const contentOf = (topic: Topic, key: string, value: string): Buffer =>
  Buffer.from(`${topic}\n${key}\n${value}`)

export const signMessage = (identity: Identity, topic: Topic, key: string, value: string): Promise<Buffer> =>
  identity.sign(contentOf(topic, key, value))

export const isSigned = (
  identity: Identity,
  topic: Topic,
  { key, value, signature }: { key: string; value: string; signature: Buffer },
): Promise<boolean> => identity.isSignedBy(ownerOf(topic), contentOf(topic, key, value), signature)
