import { SERVICE_NAMES, topicOf } from '@prelude/contracts'
import type { AclEntry, AclOperationTypes } from 'kafkajs'
import { kafkajs } from '@prelude/platform'
import { roleOf } from '@prelude/platform/migrate'

/** What each service's principal (`User:prelude_songs`) may do: write its own topic, read all, and keep its own groups. */
export function accessRules(prefix: string): AclEntry[] {
  const { AclResourceTypes, ResourcePatternTypes, AclOperationTypes, AclPermissionTypes } = kafkajs()
  const { TOPIC, GROUP } = AclResourceTypes
  const { LITERAL, PREFIXED } = ResourcePatternTypes
  const { READ, WRITE, DESCRIBE } = AclOperationTypes
  return SERVICE_NAMES.flatMap((service) => {
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
        permissionType: AclPermissionTypes.ALLOW,
      }))
    return [
      ...may(TOPIC, prefix + own, LITERAL, [WRITE, DESCRIBE]),
      ...may(TOPIC, `${prefix}prelude.`, PREFIXED, [READ, DESCRIBE]),
      ...may(GROUP, `${prefix}${service}.`, PREFIXED, [READ, DESCRIBE]),
    ]
  })
}
