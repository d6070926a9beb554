export * from '../tests/servers/haproxy.ts'
