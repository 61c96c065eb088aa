import { defineSchema, type Schema } from '@isotherm/core'
import { BitReversedIds, DescTimestamps, UuidKeys } from './key-models.js'
import { columnTypeModels, keyTypeModels } from './type-models.js'
import { indexModels } from './index-models.js'
import { interleavedModels } from './interleaved-models.js'
import { nameModels } from './name-models.js'
import { clientShardModels, databaseShardModels } from './shard-models.js'

export interface GoldenSchema {
  readonly name: string
  readonly schema: Schema
  /** The file with the statements, each ended by a semicolon and a blank line. */
  readonly ddl: URL
}

const models: Readonly<Record<string, readonly object[]>> = {
  'column-types': columnTypeModels,
  'key-types': keyTypeModels,
  'uuid-keys': [UuidKeys],
  'bit-reversed-ids': BitReversedIds,
  'desc-timestamps': DescTimestamps,
  'shards-by-database': databaseShardModels,
  'shards-by-client': clientShardModels,
  interleaving: interleavedModels,
  indexes: indexModels,
  names: nameModels,
}

/** Schemas that together use all that GoogleSQL's DDL has to spell. Each can be applied to an empty database. */
export const goldenSchemas: readonly GoldenSchema[] = Object.entries(models).map(([name, each]) => ({
  name,
  schema: defineSchema(each),
  ddl: new URL(`./${name}.sql`, import.meta.url),
}))

/** The statements as a golden file writes them. */
export function goldenText(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('\n')
}
