import pg from 'pg'
import { testPorts } from '../src/testing/index.ts'
import { busConformance } from './conformance/bus.ts'

busConformance('postgres bus', async () => {
  const ports = await testPorts()
  return {
    ...ports,
    // a member holds its group by its connection
    expel: async () => {
      const admin = new pg.Client({ connectionString: ports.adminUrl })
      await admin.connect()
      await admin.query(
        `select pg_terminate_backend(pid) from pg_locks
         where locktype = 'advisory' and granted
           and database = (select oid from pg_database where datname = current_database())`,
      )
      await admin.end()
    },
  }
})
