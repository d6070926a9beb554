export * from '../tests/servers/server-process.ts'
