/** Longest name of a file in a file system. */
const SEGMENT = '[A-Za-z0-9_][A-Za-z0-9._-]{0,254}'
const OBJECT_PATH = new RegExp(`^(?=[A-Za-z])${SEGMENT}(/${SEGMENT})*$`)

/**
 * Whether this is a path of an object (see BlobStore): one that is the name of a file below a root and the key of an S3
 * store without any encoding. It leaves no folder and hides in none.
 */
export const isObjectPath = (path: string): boolean => OBJECT_PATH.test(path)

/** Errors: it is none. */
export function assertObjectPath(path: string): void {
  if (!isObjectPath(path)) throw new Error(`not an object path: ${JSON.stringify(path)}`)
}
