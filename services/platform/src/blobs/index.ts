/** BlobStore: audio, in a folder or an S3 store. */
export * from './port.ts'
export { folderBlobs } from './folder-blobs.ts'
export { s3Blobs } from './s3-blobs.ts'
