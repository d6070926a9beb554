import { useEffect, useState } from 'react'
import type { Ops } from '@prelude/contracts'
import { refetchMe } from '../../../api/me.ts'
import { watchdog } from '../watchdog.ts'

const RECONNECT_MS = 3_000
/** The server sends a snapshot every few seconds; a connection without any for longer is dead. */
const SILENCE_TIMEOUT_MS = 12_000

/** Live snapshots of the product's state; `isDisconnected` while none arrive. */
export function useOps(): { ops: Ops | null; isDisconnected: boolean } {
  const [ops, setOps] = useState<Ops | null>(null)
  const [isDisconnected, setDisconnected] = useState(false)
  useEffect(() => {
    let source: EventSource
    let reconnect: ReturnType<typeof setTimeout> | undefined
    const disconnect = (): void => {
      setDisconnected(true)
      silence.stop()
      source.close()
      // the session may be locked or may have ended
      void refetchMe()
      reconnect = setTimeout(connect, RECONNECT_MS)
    }
    const silence = watchdog(SILENCE_TIMEOUT_MS, disconnect)
    const connect = (): void => {
      source = new EventSource('/api/operator/ops/live')
      source.addEventListener('ops', ({ data }: MessageEvent<string>) => {
        setOps(JSON.parse(data) as Ops)
        setDisconnected(false)
        silence.restart()
      })
      source.addEventListener('error', disconnect)
      silence.restart()
    }
    connect()
    return () => {
      source.close()
      clearTimeout(reconnect)
      silence.stop()
    }
  }, [])
  return { ops, isDisconnected }
}
