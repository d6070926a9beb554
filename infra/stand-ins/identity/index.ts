export { startIdentity, type Identity, type IdentityOptions } from './start-identity.ts'
export { subjectOf } from './person.ts'
