import { Client } from 'cassandra-driver'
import { cassandra, cql } from '@isotherm/cassandra'
import { Column, Table, UuidV4, compileDdl, defineSchema, openDatabase } from '@isotherm/core'
import type { Generated } from '@isotherm/core'

@Table('LogEntry')
class LogEntry {
  @UuidV4() id!: Generated<string>
  @Column.string({ length: 100 }) page!: string
}

const schema = defineSchema([LogEntry])
const [statement] = compileDdl(schema, { dialect: cql })
const client = new Client({
  contactPoints: ['127.0.0.1'],
  localDataCenter: 'datacenter1',
  keyspace: 'blog',
  encoding: { useBigIntAsLong: true },
})
const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
const plan = db.fanOut(LogEntry).where({ id: 'a1b2c3d4-0000-4000-8000-000000000000' }).explain()
console.log(`${/LogEntry/.exec(statement ?? '')?.[0]} of CQL, read by ${plan.strategy}`)
