import { type RefObject, useEffect, useRef } from 'react'

/** Publishes the height of a fixed element as a CSS property of the page, which keeps that much clear of what has the focus. */
export function usePublishedHeight<T extends HTMLElement>(property: `--${string}`): RefObject<T | null> {
  const element = useRef<T>(null)
  useEffect(() => {
    const root = document.documentElement.style
    const observer = new ResizeObserver(([entry]) =>
      root.setProperty(property, `${entry?.target.clientHeight ?? 0}px`),
    )
    if (element.current) observer.observe(element.current)
    return () => {
      observer.disconnect()
      root.removeProperty(property)
    }
  }, [property])
  return element
}
