import type { Page } from '@playwright/test'

/** The accessibility tree of Chromium, which is what it gives to a screen reader. */

export interface TreeNode {
  readonly role: string
  readonly name: string
  readonly description: string
  /** `focused`, `pressed`, `expanded`, `live`, … as far as the node has them. */
  readonly states: Readonly<Record<string, unknown>>
  readonly children: readonly TreeNode[]
}

interface Value {
  readonly value?: unknown
}
interface RawNode {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: Value
  readonly name?: Value
  readonly description?: Value
  readonly value?: Value
  readonly properties?: readonly { readonly name: string; readonly value: Value }[]
  readonly childIds?: readonly string[]
}

const text = (one: Value | undefined): string => (typeof one?.value === 'string' ? one.value : '')

/** All nodes, in the order of the document. */
export async function nodes(page: Page): Promise<TreeNode[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes: raw } = await session.send('Accessibility.getFullAXTree')
    const byId = new Map((raw as RawNode[]).map((one) => [one.nodeId, one]))
    const childrenOf = ({ childIds = [] }: RawNode): TreeNode[] =>
      childIds.flatMap((id) => {
        const child = byId.get(id)
        return child ? nodesOf(child) : []
      })
    const nodesOf = (one: RawNode): TreeNode[] => {
      const children = childrenOf(one)
      if (one.ignored) return children
      const states = Object.fromEntries((one.properties ?? []).map(({ name, value }) => [name, value.value]))
      const node = { role: text(one.role), name: text(one.name), description: text(one.description) }
      return [{ ...node, states: { ...states, value: one.value?.value }, children }]
    }
    const root = (raw as RawNode[])[0]
    return root ? nodesOf(root).flatMap(withDescendants) : []
  } finally {
    await session.detach()
  }
}

const withDescendants = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(withDescendants)]

const textOf = (node: TreeNode): string =>
  withDescendants(node)
    .filter(({ role }) => role === 'StaticText')
    .map(({ name }) => name)
    .join(' ')

/** What live regions say now, with their urgency: `polite: …` or `assertive: …`. */
export async function announcements(page: Page): Promise<string[]> {
  const regions = (await nodes(page)).filter(({ states }) =>
    ['polite', 'assertive'].includes(String(states['live'])),
  )
  return regions.map((one) => `${String(one.states['live'])}: ${textOf(one)}`)
}
