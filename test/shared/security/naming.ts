import { compileDdl, type Schema } from '@isotherm/core'
import type { TestEngine } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { CQL_NAMES, keyspaceNamed } from './named-keyspace.js'
import { NAMES, namesFor, schemaNamed, shapesOf } from './named-schema.js'
import type { Token } from './tokens.js'

/** Four partitions in a table without load are not a hotspot. */
const SMALL = { severity: { 'cassandra/low-cardinality-partition': 'off' } } as const

/** The objects with names in the schemas of an engine. */
export interface Naming {
  readonly places: readonly string[]
  /** The default name of an object. */
  plainOf(place: string): string
  /** @throws {SchemaError} for names that no schema can have. */
  schema(changed?: Readonly<Record<string, string>>): Schema
  /** The replaced names when this object gets another name. */
  namesFor(place: string, given: string): ReadonlyMap<string, string>
  ddl(schema: Schema): string[]
  shapes(statements: readonly string[]): Token[][]
}

export function namingOf({ dialect }: TestEngine): Naming {
  const shared = {
    ddl: (schema: Schema) => compileDdl(schema, { dialect, ...SMALL }),
    shapes: (statements: readonly string[]) => shapesOf(statements, dialect),
  }
  if (isCql(dialect)) {
    const hasIndexes = dialect.cql.has.indexes !== false
    const plain: Readonly<Record<string, string>> = CQL_NAMES
    return {
      ...shared,
      places: Object.keys(plain).filter((place) => place !== 'index' || hasIndexes),
      plainOf: (place) => plain[place]!,
      schema: (changed = {}) => keyspaceNamed(changed, hasIndexes),
      namesFor: (place, given) => new Map([[plain[place]!, given]]),
    }
  }
  const plain: Readonly<Record<string, string>> = NAMES
  return {
    ...shared,
    places: Object.keys(plain),
    plainOf: (place) => plain[place]!,
    schema: schemaNamed,
    namesFor: (place, given) => namesFor(place as never, given),
  }
}
