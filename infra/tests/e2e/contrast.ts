import type { Page } from '@playwright/test'

/** Contrasts as the page computes them (WCAG 1.4.11: at least 3 : 1), and whether the focus is seen (2.4.7 and 2.4.11). */

type Colour = readonly [red: number, green: number, blue: number, alpha: number]
interface Tools {
  ratio(one: Colour, other: Colour): number
  /** The colour of a CSS value on this background. */
  on(value: string, background: Colour): Colour
  background(element: Element | null): Colour
  name(element: Element): string
}
declare const contrastTools: Tools

/** Runs in the page. */
function createTools(): Tools {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
  const parse = (value: string): Colour => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = value
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
  const on = (value: string, background: Colour): Colour => {
    const [red, green, blue, alpha] = parse(value)
    const mix = (top: number, bottom: number): number => top * alpha + bottom * (1 - alpha)
    return [mix(red, background[0]), mix(green, background[1]), mix(blue, background[2]), 1]
  }
  const luminance = (colour: Colour): number => {
    const [red = 0, green = 0, blue = 0] = colour
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const background = (element: Element | null): Colour =>
    element === null
      ? [255, 255, 255, 1]
      : on(getComputedStyle(element).backgroundColor, background(element.parentElement))
  return {
    on,
    background,
    ratio: (one, other) => {
      const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
      return (high + 0.05) / (low + 0.05)
    },
    name: (element) => {
      const label =
        element.getAttribute('aria-label') ?? (element as HTMLInputElement).labels?.[0]?.textContent
      return `${element.localName} "${(label ?? element.textContent).trim().slice(0, 40)}"`
    },
  }
}

const SETUP = `globalThis.contrastTools ??= (${createTools.toString()})()`

/** What is wrong with the element that has the focus: it is off the screen, covered, or shows no mark; null when it is seen. */
export async function unseenFocus(page: Page): Promise<string | null> {
  await page.evaluate(SETUP)
  return page.evaluate(() => {
    const focused = document.activeElement
    if (!focused || focused === document.body) return null
    const { left, top, right, bottom } = focused.getBoundingClientRect()
    const [x1, x2] = [Math.max(0, left), Math.min(innerWidth, right)]
    const [y1, y2] = [Math.max(0, top), Math.min(innerHeight, bottom)]
    const name = contrastTools.name(focused)
    if (x2 <= x1 || y2 <= y1) return `${name} is off the screen`
    const hit = document.elementFromPoint((x1 + x2) / 2, (y1 + y2) / 2)
    const isOwn = hit !== null && (focused.contains(hit) || hit.contains(focused))
    const label = hit?.closest('label')
    const isLabel = label !== null && label !== undefined && label.control === focused
    if (!isOwn && !isLabel) return `${name} is covered by ${hit ? hit.outerHTML.slice(0, 80) : 'nothing'}`
    // the mark is at the element, or at what stands for it on the screen
    const marked = [
      focused,
      ...(focused.parentElement?.children ?? []),
      focused.closest('label'),
      focused.parentElement,
    ]
    const best = Math.max(
      0,
      ...marked.map((one) => {
        if (!one) return 0
        const { outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(one)
        if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) return 0
        const ground = contrastTools.background(parseFloat(outlineOffset) < 0 ? one : one.parentElement)
        return contrastTools.ratio(contrastTools.on(outlineColor, ground), ground)
      }),
    )
    return best < 3 ? `${name} has a focus mark of ${best.toFixed(2)} : 1` : null
  })
}

/** Fields, buttons and links of the page whose border or text (an icon has its colour) has less than 3 : 1. */
export async function faintControls(page: Page): Promise<string[]> {
  await page.evaluate(SETUP)
  return page.evaluate(() => {
    const { ratio, on, background, name } = contrastTools
    const fields = 'textarea, select, input:not([type=file], [type=range], [type=radio], [type=checkbox])'
    const border = (one: Element): number => {
      const { borderBottomColor, borderBottomWidth } = getComputedStyle(one)
      const [inside, outside] = [background(one), background(one.parentElement)]
      const line = on(borderBottomColor, outside)
      const isDrawn = parseFloat(borderBottomWidth) > 0 && String(line) !== String(outside)
      // a button without a border is known by its text; a field has nothing else
      if (!isDrawn && !one.matches(fields)) return Infinity
      return Math.max(ratio(inside, outside), isDrawn ? ratio(line, outside) : 0)
    }
    const text = (one: Element): number => {
      const ground = background(one)
      return ratio(on(getComputedStyle(one).color, ground), ground)
    }
    return [...document.querySelectorAll(`${fields}, button, a[href]`)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((one) => !one.matches(':disabled, [aria-disabled=true]'))
      .flatMap((one) => {
        const lowest = Math.min(border(one), text(one))
        return lowest < 3 ? [`${name(one)} has a border or sign of ${lowest.toFixed(2)} : 1`] : []
      })
  })
}
