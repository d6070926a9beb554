import { createHash } from 'node:crypto'

const names = new Map<string, string>()

/** A stable name for a statement's text, so that each connection parses and plans it once. */
export function statementName(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = createHash('sha1').update(sql).digest('base64url')
    names.set(sql, name)
  }
  return name
}
