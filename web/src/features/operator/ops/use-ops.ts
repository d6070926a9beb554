import { useEffect, useState } from 'react'
import type { Ops } from '@prelude/contracts'
import { queries } from '../../../api/queries.ts'

const AGAIN_MS = 3_000
/** The server tells every few seconds. */
const SILENCE_MS = 12_000

/** How the product is, told again and again while the page is open; `lost` while nothing is heard. */
export function useOps(): { ops: Ops | null; lost: boolean } {
  const [ops, setOps] = useState<Ops | null>(null)
  const [lost, setLost] = useState(false)
  useEffect(() => {
    let source: EventSource
    let again: ReturnType<typeof setTimeout> | undefined
    let silence: ReturnType<typeof setTimeout> | undefined
    const heard = (): void => {
      clearTimeout(silence)
      setLost(false)
      silence = setTimeout(() => setLost(true), SILENCE_MS)
    }
    const listen = (): void => {
      source = new EventSource('/api/operator/ops/live')
      source.addEventListener('ops', ({ data }: MessageEvent<string>) => {
        setOps(JSON.parse(data) as Ops)
        heard()
      })
      source.addEventListener('error', () => {
        setLost(true)
        source.close()
        // the session may be locked or over: /api/me knows
        void queries.invalidateQueries({ queryKey: ['me'] })
        again = setTimeout(listen, AGAIN_MS)
      })
    }
    listen()
    return () => {
      source.close()
      clearTimeout(again)
      clearTimeout(silence)
    }
  }, [])
  return { ops, lost }
}
