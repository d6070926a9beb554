/** This machine: what is sent there passes no network. */
export const isLoopback = (address: string): boolean => {
  const { hostname } = new URL(address)
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')
}
