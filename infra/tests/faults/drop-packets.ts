import { execFileSync } from 'node:child_process'

/**
 * From now on every packet of these connections to a server on this machine is dropped, in both directions, and neither
 * side is notified. Others, new ones too, are not affected. Needs root and iptables. The returned function ends it.
 */
export function dropPackets(serverPort: number, clientPorts: readonly number[]): () => void {
  const rules = clientPorts.flatMap((port) => [
    `--sport ${port} --dport ${serverPort}`,
    `--sport ${serverPort} --dport ${port}`,
  ])
  const change = (how: '-I' | '-D', rule: string): void =>
    void execFileSync('iptables', `${how} OUTPUT -o lo -p tcp ${rule} -j DROP`.split(' '))
  for (const rule of rules) change('-I', rule)
  return () => {
    for (const rule of rules) change('-D', rule)
  }
}
