import { SERVICE_NAMES, topicOf } from '@prelude/contracts'
// Node does not find all names that this CommonJS module exports
import kafkajs, { type AclEntry, type AclOperationTypes } from 'kafkajs'
import { roleOf } from '../../database/index.ts'

const { TOPIC, GROUP } = kafkajs.AclResourceTypes
const { LITERAL, PREFIXED } = kafkajs.ResourcePatternTypes
const { READ, WRITE, DESCRIBE } = kafkajs.AclOperationTypes

/** What each service's principal (`User:prelude_songs`) may do: write its own topic, read all, and keep its own groups. */
export const accessRules = (prefix: string): AclEntry[] =>
  SERVICE_NAMES.flatMap((service) => {
    const own = topicOf(service)
    const may = (
      resourceType: AclEntry['resourceType'],
      resourceName: string,
      resourcePatternType: AclEntry['resourcePatternType'],
      operations: readonly AclOperationTypes[],
    ): AclEntry[] =>
      operations.map((operation) => ({
        resourceType,
        resourceName,
        resourcePatternType,
        operation,
        principal: `User:${roleOf(service)}`,
        host: '*',
        permissionType: kafkajs.AclPermissionTypes.ALLOW,
      }))
    return [
      ...may(TOPIC, prefix + own, LITERAL, [WRITE, DESCRIBE]),
      ...may(TOPIC, `${prefix}prelude.`, PREFIXED, [READ, DESCRIBE]),
      ...may(GROUP, `${prefix}${service}.`, PREFIXED, [READ, DESCRIBE]),
    ]
  })
