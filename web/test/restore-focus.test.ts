import { expect, test } from 'vitest'
import { ancestors, focusTargetFor } from '../src/browser/restore-focus.ts'

/** As much of an element as the search for a place of the focus reads. */
interface Element {
  readonly tag: string
  readonly parentElement: Element | null
  isConnected: boolean
  nextElementSibling: Element | null
  previousElementSibling: Element | null
  matches(selectors: string): boolean
}

const element = (tag: string, parentElement: Element | null = null): Element => ({
  tag,
  parentElement,
  isConnected: true,
  nextElementSibling: null,
  previousElementSibling: null,
  matches: (selectors) => selectors.split(', ').includes(tag),
})
const pathFrom = (control: Element): HTMLElement[] => [...ancestors(control as unknown as HTMLElement)]
const placeAfter = (lost: Element, behind: Element): string | undefined =>
  (focusTargetFor(pathFrom(lost), pathFrom(behind)) as unknown as Element | undefined)?.tag

const main = element('main')
const list = element('ul', main)
const row = element('li', list)
const form = element('form', row)
const adjust = element('button', form)

test('after a confirmed adjustment the focus is in its form, whose button is disabled until the next sum', () => {
  const dialog = element('[role=dialog]')
  const confirm = element('button', dialog)
  for (const gone of [confirm, dialog]) gone.isConnected = false
  expect(placeAfter(confirm, adjust)).toBe('form')
})

test('the focus of a control that was removed is in its row, else in the row beside it, else on the page', () => {
  const control = element('button', row)
  control.isConnected = false
  expect(placeAfter(control, control)).toBe('li')
  row.isConnected = false
  const next = { ...element('li', list), tag: 'next', matches: row.matches }
  row.nextElementSibling = next
  expect(placeAfter(control, control)).toBe('next')
  next.isConnected = false
  expect(placeAfter(control, control)).toBe('main')
})
