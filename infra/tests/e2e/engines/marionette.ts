import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { error, WebDriver } from 'selenium-webdriver'
import type { Command, Executor } from 'selenium-webdriver/lib/command.js'

/** Firefox's name of each WebDriver command; its parameters are those of the W3C specification. */
const COMMANDS: Readonly<Record<string, string>> = {
  newSession: 'WebDriver:NewSession',
  quit: 'WebDriver:DeleteSession',
  get: 'WebDriver:Navigate',
  getCurrentUrl: 'WebDriver:GetCurrentURL',
  findElement: 'WebDriver:FindElement',
  findElements: 'WebDriver:FindElements',
  clickElement: 'WebDriver:ElementClick',
  clearElement: 'WebDriver:ElementClear',
  sendKeysToElement: 'WebDriver:ElementSendKeys',
  getElementAttribute: 'WebDriver:GetElementAttribute',
  getElementText: 'WebDriver:GetElementText',
  getAccessibleName: 'WebDriver:GetComputedLabel',
  executeScript: 'WebDriver:ExecuteScript',
  getCurrentWindowHandle: 'WebDriver:GetWindowHandle',
  getWindowHandles: 'WebDriver:GetWindowHandles',
  switchToWindow: 'WebDriver:SwitchToWindow',
  setWindowRect: 'WebDriver:SetWindowRect',
  screenshot: 'WebDriver:TakeScreenshot',
}

type Failure = { readonly error: string; readonly message: string } | null
type Response = [type: 1, id: number, failure: Failure, result: unknown]
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/**
 * Drives Firefox over Marionette, its own protocol: WebDriver commands as length-prefixed JSON on a TCP connection. geckodriver
 * translates HTTP to the same protocol, but neither Debian nor npm has it.
 */
export async function connectToFirefox(port: number): Promise<WebDriver> {
  const socket = createConnection(port, '127.0.0.1')
  await once(socket, 'connect')
  const send = marionette(socket)
  const executor: Executor = {
    execute: async (command: Command) => {
      const name = COMMANDS[command.getName()]
      if (name === undefined) throw new error.UnsupportedOperationError(command.getName())
      const { sessionId: _, ...parameters } = command.getParameters() as Record<string, unknown>
      const result = await send(name, named(command.getName(), parameters))
      return isValue(result) ? result.value : result
    },
  }
  return WebDriver.createSession(executor, { browserName: 'firefox' }, () => socket.destroy())
}

/** Over HTTP an element is a part of the path; Marionette takes its id as a parameter. */
function named(command: string, parameters: Record<string, unknown>): Record<string, unknown> {
  if (command === 'newSession') return {}
  const { id } = parameters
  return typeof id === 'object' && id !== null ? { ...parameters, id: Object.values(id)[0] } : parameters
}

const isValue = (result: unknown): result is { value: unknown } =>
  typeof result === 'object' && result !== null && 'value' in result && !(ELEMENT in result)

function marionette(socket: Socket): (name: string, parameters: object) => Promise<unknown> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let received = Buffer.alloc(0)
  let last = 0
  socket.on('data', (data) => {
    received = Buffer.concat([received, data])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(0, colon)).toString())
      if (colon < 0 || received.length < end) return
      const message = JSON.parse(received.subarray(colon + 1, end).toString()) as Response | object
      received = received.subarray(end)
      if (Array.isArray(message)) settle(message as Response) // else the greeting
    }
  })
  const settle = ([, id, failure, result]: Response): void => {
    const response = waiting.get(id)
    waiting.delete(id)
    try {
      if (failure) error.throwDecodedError(failure)
      response?.resolve(result)
    } catch (problem) {
      response?.reject(problem)
    }
  }
  const fail = (): void => {
    for (const response of waiting.values()) response.reject(new Error('Firefox closed the connection'))
    waiting.clear()
  }
  socket.on('close', fail).on('error', fail)
  return (name, parameters) => {
    const response = Promise.withResolvers<unknown>()
    const id = ++last
    waiting.set(id, response)
    const text = JSON.stringify([0, id, name, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    return response.promise
  }
}
