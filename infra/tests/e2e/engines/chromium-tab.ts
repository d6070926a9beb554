import { readFile } from 'node:fs/promises'
import { WAIT_MS } from '@prelude/platform/eventually'
import type { Page } from 'playwright-core'
import { launchWholeBrowser } from '../browser.ts'
import { pictureFailure } from './failure-pictures.ts'
import { type Engine, PLAYING_AT, type Tab, TRACK_SOUNDS } from './tab.ts'

const evaluate = <T>(page: Page, script: string): Promise<T> => page.evaluate(`(() => { ${script} })()`)

export const chromium: Engine = {
  open: async () => {
    const browser = await launchWholeBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(WAIT_MS)
    const page = await context.newPage()
    pictureFailure(
      () => page.screenshot(),
      () => browser.close(),
    )
    return chromiumTab(page)
  },
}

function chromiumTab(main: Page): Tab {
  let page = main
  const find: (...target: Parameters<Tab['see']>) => ReturnType<Page['getByRole']> = (role, name) =>
    (role === 'status'
      ? page.getByRole(role).filter({ hasText: name })
      : page.getByRole(role, { name, exact: true })
    ).first()
  return {
    open: async (url) => void (await page.goto(url)),
    see: (role, name) => find(role, name).waitFor(),
    press: (role, name) => find(role, name).click(),
    type: (role, name, text) => find(role, name).fill(text),
    key: (role, name, key) => find(role, name).press(key),
    choose: async (option) => {
      const found = page.getByRole('option').filter({ hasText: option })
      await found.waitFor({ state: 'attached' })
      await page
        .getByRole('combobox')
        .filter({ has: found })
        .selectOption(await found.getAttribute('value'))
    },
    attach: (label, path) => page.getByLabel(label, { exact: true }).setInputFiles(path),
    inPopup: async (press, act) => {
      const opens = main.waitForEvent('popup')
      await press()
      page = await opens
      const closes = page.waitForEvent('close')
      await act()
      await closes
      page = main
    },
    playingAt: async () => {
      await evaluate(page, TRACK_SOUNDS)
      return evaluate(page, PLAYING_AT)
    },
    download: async (press) => {
      const saving = page.waitForEvent('download')
      await press()
      return readFile(await (await saving).path())
    },
  }
}
