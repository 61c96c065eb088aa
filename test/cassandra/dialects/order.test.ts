import { valueCodec } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import type { Client } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cqlType } from '../../../packages/cassandra/src/cql/types.js'
import { cqlValues } from '../../../packages/cassandra/src/cql/values.js'
import { bytesOf } from '../../../packages/cassandra/src/driver/encoding.js'
import { compositeKeys, placeType, scalarKeys } from '../../../packages/cassandra/test/cql/arbitraries.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { scaled } from '../../support/runs.js'

// A merge of partitions puts rows in the order that Isotherm knows: it has to be the one in which the node gives them.

const VALUES = scaled(1_000)
const BATCH = 100

let client: Client

beforeAll(async () => {
  const cassandra = await sharedCassandra()
  const fields = placeType.fields.map(({ name, type }) => `"${name}" ${cqlType(type)}`)
  const keyspace = await cassandra.keyspace({ ddl: [`CREATE TYPE "place" (${fields.join(', ')})`] })
  client = await cassandra.client(keyspace)
})

afterAll(() => client.shutdown())

describe('the order of a clustering column', () => {
  it.each([...scalarKeys, ...compositeKeys].map((each, table) => [each[0], table, each] as const))(
    'of type %s, and which of its values are equal, is the same in Isotherm as on the node',
    async (_name, table, [, type, arbitrary]) => {
      const codec = valueCodec(type, cqlValues)
      const compare = codec.compare as (a: unknown, b: unknown) => number
      const values = fc.sample(arbitrary, VALUES).map((value) => codec.accept(value))
      await client.execute(
        `CREATE TABLE t${table} (p int, k ${cqlType(type)}, place int, PRIMARY KEY (p, k))`,
      )
      const insert = `INSERT INTO t${table} (p, k, place) VALUES (1, ?, ?)`
      const rows = values.map((value, at) => ({
        query: insert,
        params: [bytesOf(type, codec.encode(value)), at],
      }))
      for (let from = 0; from < rows.length; from += BATCH)
        await client.batch(rows.slice(from, from + BATCH), { prepare: true, logged: false })

      const read = await client.execute(`SELECT place FROM t${table} WHERE p = 1`, [], {
        prepare: true,
        fetchSize: VALUES,
      })
      const returned = read.rows.map((row) => codec.encode(values[row['place'] as number]))
      const sorted = values
        .toSorted(compare)
        .filter((value, at, all) => at === 0 || compare(all[at - 1], value) !== 0)
      expect(returned).toStrictEqual(sorted.map((value) => codec.encode(value)))
    },
  )
})
