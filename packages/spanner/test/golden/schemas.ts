import { defineSchema, type Schema, type SchemaOptions, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { bucketModels } from './bucket-models.js'
import { constraintModels, foreignKeyCycle, unenforcedModels } from './constraint-models.js'
import { adoptedModels, hashKeyModels } from './hash-models.js'
import { indexModels, numericIndexModels, partialIndexModels, nullOrderModels } from './index-models.js'
import { interleavedModels, looseModels, nullableTreeModels } from './interleaved-models.js'
import { BitReversedIds, DescCommitTimestamps, DescKeys, DescTimestamps, UuidKeys } from './key-models.js'
import { generatedModels, hiddenModels } from './made-models.js'
import { longNameModels, nameModels } from './name-models.js'
import {
  objectOptions,
  objectModels,
  definerOptions,
  namespaceModels,
  namespaceOptions,
} from './object-models.js'
import { rowDeletionModels, rowDeletionWithForeignKeys } from './row-deletion-models.js'
import {
  clientShardModels,
  databaseShardModels,
  nullableShardModels,
  uuidShardModels,
} from './shard-models.js'
import {
  columnTypeModels,
  everyKeyTypeModels,
  keyTypeModels,
  nativeUuidModels,
  uuidStorageModels,
} from './type-models.js'

/** A schema in one dialect, and the statements that make it. */
export interface Golden {
  readonly name: string
  readonly dialect: SqlDialect
  /** The models of the schema, without its other objects. */
  readonly models: readonly object[]
  readonly schema: Schema
  /** The file with the statements, each ended by a semicolon and a blank line. */
  readonly ddl: URL
  /** False for features that the service supports and the emulator does not: then only the text is tested. */
  readonly takenByEmulator: boolean
}

interface Models {
  readonly models: readonly object[]
  readonly options?: SchemaOptions
  /** Default: all of them. */
  readonly only?: SqlDialect
  /** Dialects in which the emulator rejects DDL that the service accepts. */
  readonly notInEmulator?: readonly SqlDialect[]
}

const both: readonly SqlDialect[] = [googlesql, spannerPostgresql]

const models: Readonly<Record<string, Models>> = {
  'column-types': { models: columnTypeModels },
  'key-types': { models: keyTypeModels },
  'every-key-type': { models: everyKeyTypeModels, only: googlesql },
  'uuid-keys': { models: [UuidKeys] },
  'uuid-storages': { models: uuidStorageModels },
  'uuid-native': { models: nativeUuidModels, notInEmulator: both },
  'bit-reversed-ids': { models: BitReversedIds },
  'desc-timestamps': { models: DescTimestamps },
  'desc-keys': { models: DescKeys },
  'time-buckets': { models: bucketModels },
  'desc-commit-timestamps': { models: DescCommitTimestamps, only: googlesql },
  'shards-by-database': { models: databaseShardModels },
  'shards-by-database-nullable': { models: nullableShardModels, only: googlesql },
  'shards-by-database-uuids': { models: uuidShardModels, only: googlesql },
  'shards-by-client': { models: clientShardModels },
  'shards-adopted': { models: adoptedModels },
  'hash-keys': { models: hashKeyModels },
  interleaving: { models: interleavedModels },
  'interleaving-nullable': { models: nullableTreeModels, only: googlesql },
  'interleaving-loose': { models: looseModels, notInEmulator: both },
  indexes: { models: indexModels },
  'indexes-numeric': { models: numericIndexModels, only: googlesql },
  'indexes-partial': { models: partialIndexModels },
  'indexes-null-order': { models: nullOrderModels, only: spannerPostgresql },
  names: { models: nameModels },
  'names-long': { models: longNameModels, only: googlesql },
  'made-by-database': { models: generatedModels },
  hidden: { models: hiddenModels },
  constraints: { models: constraintModels },
  'foreign-key-cycle': { models: foreignKeyCycle },
  'foreign-keys-unenforced': { models: unenforcedModels, only: googlesql, notInEmulator: [googlesql] },
  'row-deletion': { models: rowDeletionModels },
  'row-deletion-with-foreign-keys': { models: rowDeletionWithForeignKeys, notInEmulator: both },
  objects: { models: objectModels, options: objectOptions },
  'view-of-definer': { models: objectModels, options: definerOptions, notInEmulator: [googlesql] },
  namespaces: { models: namespaceModels, options: namespaceOptions },
}

/** Schemas that together use every form of DDL in the dialects. Each can be applied to an empty database. */
export const goldens: readonly Golden[] = Object.entries(models).flatMap(
  ([name, { models: each, options, only, notInEmulator = [] }]) => {
    const schema = defineSchema(each, options)
    const dialects: readonly SqlDialect[] = only ? [only] : both
    return dialects.map((dialect) => ({
      name,
      dialect,
      models: each,
      schema,
      ddl: new URL(`./${name}.${dialect.name}.sql`, import.meta.url),
      takenByEmulator: !notInEmulator.includes(dialect),
    }))
  },
)

/** The statements as a golden file writes them. */
export function goldenText(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('\n')
}
