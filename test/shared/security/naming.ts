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
  readonly kinds: readonly string[]
  /** The default name of an object. */
  plainOf(kind: string): string
  /** @throws {SchemaError} for names that no schema can have. */
  schema(changed?: Readonly<Record<string, string>>): Schema
  /** The replaced names when this object gets another name. */
  namesFor(kind: string, name: string): ReadonlyMap<string, string>
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
      kinds: Object.keys(plain).filter((kind) => kind !== 'index' || hasIndexes),
      plainOf: (kind) => plain[kind]!,
      schema: (changed = {}) => keyspaceNamed(changed, hasIndexes),
      namesFor: (kind, name) => new Map([[plain[kind]!, name]]),
    }
  }
  const plain: Readonly<Record<string, string>> = NAMES
  return {
    ...shared,
    kinds: Object.keys(plain),
    plainOf: (kind) => plain[kind]!,
    schema: schemaNamed,
    namesFor: (kind, name) => namesFor(kind as never, name),
  }
}
