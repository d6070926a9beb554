export * from '../tests/servers/prometheus.ts'
