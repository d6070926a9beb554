export * from './blobs.ts'
export * from './generator.ts'
