export * from './blobs.ts'
export * from './bus.ts'
export * from './key-value.ts'
