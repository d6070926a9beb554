import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { By, Key, type WebDriver, type WebElement } from 'selenium-webdriver'
import { pictureFailure } from './failure-pictures.ts'
import { type Engine, type Name, PLAYING_AT, type Role, type Tab, TRACK_SOUNDS } from './tab.ts'

/** A browser of its own: cookies are per browser. */
export interface DrivenBrowser {
  readonly driver: WebDriver
  readonly downloads: string
  stop(): Promise<void>
}

/** Elements of the role; their names are those of the engine's own accessibility tree. */
const ELEMENTS: Readonly<Record<Role, string>> = {
  button: 'button',
  link: 'a[href]',
  textbox: 'textarea, input',
  spinbutton: 'input[type=number], [role=spinbutton]',
  region: 'section',
  status: '[role=status]',
  slider: 'input[type=range]',
}
const DISPLAYED = 'return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility())'
/** As a person opens it. WebKit's driver skips that: an option with the index of the last change would cause no new one. */
const OPEN_LIST = `const list = arguments[0].parentElement
list.scrollIntoView({ block: 'center' })
list.blur()
list.focus()`

const matches = (name: Name, text: string): boolean =>
  typeof name === 'string' ? text === name : name.test(text)

/** WebKit for GTK has no computed name for a slider. */
const nameOf = async (element: WebElement): Promise<string> =>
  (await element.getAccessibleName()) || ((await element.getAttribute('aria-label')) ?? '')

export const drivenEngine = (start: (dir: string) => Promise<DrivenBrowser>): Engine => ({
  open: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'prelude-engine-'))
    const { driver, downloads, stop } = await start(dir)
    pictureFailure(
      async () => Buffer.from(await driver.takeScreenshot(), 'base64'),
      async () => {
        await stop()
        await rm(dir, { recursive: true, force: true, maxRetries: 5 })
      },
    )
    await driver.manage().window().setRect({ width: 1280, height: 900 })
    return webDriverTab(driver, downloads)
  },
})

/** Polls for a displayed element with this role and name. */
const find = (driver: WebDriver, role: Role, name: Name): Promise<WebElement> =>
  eventually(async () => {
    const seen: string[] = []
    for (const one of await driver.executeScript<WebElement[]>(DISPLAYED, ELEMENTS[role])) {
      const label = await (role === 'status' ? one.getText() : nameOf(one))
      if (matches(name, label)) return one
      seen.push(label)
    }
    throw new Error(`no ${role} ${String(name)} at ${await driver.getCurrentUrl()}, only ${seen.join(', ')}`)
  })

async function inPopup(
  driver: WebDriver,
  press: () => Promise<void>,
  act: () => Promise<void>,
): Promise<void> {
  const own = await driver.getWindowHandle()
  await press()
  const popup = await eventually(async () => {
    const other = (await driver.getAllWindowHandles()).find((one) => one !== own)
    if (other === undefined) throw new Error('no window opened')
    return other
  })
  await driver.switchTo().window(popup)
  await act()
  await eventually(async () => {
    if ((await driver.getAllWindowHandles()).length > 1) throw new Error('the window stays open')
  })
  await driver.switchTo().window(own)
}

function webDriverTab(driver: WebDriver, downloads: string): Tab {
  /** Again from finding it, where the element was replaced meanwhile. */
  const act = (role: Role, name: Name, action: (found: WebElement) => Promise<void>): Promise<void> =>
    eventually(async () => {
      const found = await find(driver, role, name)
      // WebKit's driver does not scroll far enough
      await driver.executeScript('arguments[0].scrollIntoView({ block: "center" })', found)
      await action(found)
    })
  return {
    open: (url) => driver.get(url),
    see: async (role, name) => void (await find(driver, role, name)),
    press: (role, name) => act(role, name, (found) => found.click()),
    type: (role, name, text) =>
      act(role, name, async (found) => {
        await found.clear()
        await found.sendKeys(text)
      }),
    key: (role, name, key) =>
      act(role, name, (found) => found.sendKeys({ ArrowRight: Key.ARROW_RIGHT }[key])),
    choose: (option) =>
      eventually(async () => {
        for (const one of await driver.findElements(By.css('select option')))
          if (option.test(await one.getText())) {
            await driver.executeScript(OPEN_LIST, one)
            return one.click()
          }
        throw new Error(`no option ${String(option)}`)
      }),
    attach: (label, path) =>
      eventually(async () => {
        for (const one of await driver.findElements(By.css('input[type=file]')))
          if ((await one.getAccessibleName()).includes(label)) return one.sendKeys(path)
        throw new Error(`no file input ${label}`)
      }),
    inPopup: (press, actInside) => inPopup(driver, press, actInside),
    playingAt: async () => {
      await driver.executeScript(TRACK_SOUNDS)
      return driver.executeScript<number | null>(PLAYING_AT)
    },
    download: async (press, bytes) => {
      await press()
      return eventually(async () => {
        for (const name of await readdir(downloads)) {
          const file = await readFile(join(downloads, name))
          if (file.length === bytes) return file
        }
        throw new Error(`no file of ${bytes} bytes`)
      })
    },
  }
}
