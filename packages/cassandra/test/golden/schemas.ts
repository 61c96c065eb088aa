import { defineSchema, type Schema } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import * as models from './models.js'

/** A schema in one dialect, and the statements that make it. */
export interface CqlGolden {
  readonly name: string
  readonly dialect: CqlDialect
  readonly schema: Schema
  /** The file with the statements, each ended by a semicolon and a blank line. */
  readonly ddl: URL
}

interface Models {
  readonly models: readonly object[]
  /** The only dialect that supports the models. */
  readonly only?: CqlDialect
  /** The two dialects write different DDL; otherwise one file is for both. */
  readonly differs?: true
}

const all: Readonly<Record<string, Models>> = {
  'blog-by-random-shard': { models: models.blogByRandomShard },
  'blog-by-hash-shard': { models: models.blogByHashShard },
  'access-log': { models: models.accessLog, differs: true },
  orders: { models: models.orders },
  'folded-shards': { models: models.foldedShards },
  counters: { models: models.counters },
  people: { models: models.people },
  accounts: { models: models.accounts },
  'scalar-types': { models: models.scalarTypes },
  'composite-types': { models: models.compositeTypes },
  'cassandra-types': { models: models.cassandraTypes, only: cql },
  'key-types': { models: models.keyTypes },
  'composite-keys': { models: models.compositeKeys },
  'composite-clustering': { models: models.compositeClustering, only: cql },
  'uuid-storages': { models: models.uuidStorages },
  indexes: { models: models.indexed, only: cql },
  names: { models: models.names },
  statics: { models: models.statics },
}

/** Schemas that together use every form of DDL in CQL. Each can be applied to an empty keyspace. */
export const cqlGoldens: readonly CqlGolden[] = Object.entries(all).flatMap(
  ([name, { models: each, only, differs }]) => {
    const schema = defineSchema(each)
    const dialects: readonly CqlDialect[] = only ? [only] : [cql, keyspacesCql]
    return dialects.map((dialect) => ({
      name,
      dialect,
      schema,
      ddl: new URL(`./${name}.${differs ? dialect.name : 'cql'}.cql`, import.meta.url),
    }))
  },
)
