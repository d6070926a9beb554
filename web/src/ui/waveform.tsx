import { useEffect, useRef } from 'react'

const BAR = 3
const GAP = 2
/** Music is mostly loud: without it all strokes would be about as tall, and a verse look like a chorus. */
const CONTRAST = 1.7

/** Ink strokes; what has been played takes the colour of the take. Decoration: the slider beside it has the words. */
export function Waveform(props: {
  peaks: readonly number[]
  played: number
  colour: string
  height?: number
}) {
  const { peaks, played, colour, height = 40 } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const draw = useRef(() => {})
  useEffect(() => {
    draw.current = () => {
      if (canvas.current) paint(canvas.current, peaks, played, colour)
    }
    // nothing before it has a size: the first observation draws
    if (canvas.current?.dataset['drawn']) draw.current()
  }, [peaks, played, colour])
  useEffect(() => followLooks(canvas.current, () => draw.current()), [])
  return <canvas ref={canvas} aria-hidden style={{ width: '100%', height, display: 'block' }} />
}

/** Calls back when the canvas has its first or another size, or the colours change. */
function followLooks(element: HTMLCanvasElement | null, draw: () => void): (() => void) | undefined {
  if (!element) return undefined
  const resized = new ResizeObserver(draw)
  resized.observe(element)
  const theme = matchMedia('(prefers-color-scheme: dark)')
  theme.addEventListener('change', draw)
  const chosen = new MutationObserver(draw)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    resized.disconnect()
    chosen.disconnect()
    theme.removeEventListener('change', draw)
  }
}

function paint(element: HTMLCanvasElement, peaks: readonly number[], played: number, colour: string): void {
  const { clientWidth: width, clientHeight: height } = element
  element.dataset['drawn'] = 'true'
  const scale = devicePixelRatio
  element.width = width * scale
  element.height = height * scale
  const context = element.getContext('2d')
  if (!context || width === 0) return
  context.scale(scale, scale)
  const style = getComputedStyle(element)
  const ink = style.getPropertyValue('--wave').trim() || style.getPropertyValue('--soft').trim()
  const take = style.getPropertyValue(colour).trim()
  const bars = Math.max(1, Math.floor(width / (BAR + GAP)))
  const loudest = Math.max(0.05, ...peaks)
  for (let bar = 0; bar < bars; bar++) {
    const from = Math.floor((bar / bars) * peaks.length)
    const to = Math.max(from + 1, Math.floor(((bar + 1) / bars) * peaks.length))
    const peak = Math.max(0, ...peaks.slice(from, to)) / loudest
    const tall = Math.max(BAR, peak ** CONTRAST * height)
    context.fillStyle = bar / bars < played ? take : ink
    context.beginPath()
    context.roundRect(bar * (BAR + GAP), (height - tall) / 2, BAR, tall, 1.5)
    context.fill()
  }
}
