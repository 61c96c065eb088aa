import type { Schema } from '@isotherm/core'
import { camelCase, claim, partsOf, pascalCase } from '../source/naming.js'

/** Names that the file imports or writes itself. */
const TAKEN =
  'array bigint bitReversedId bool boolean bytea bytes check commitTimestamp date desc descTimestamp doublePrecision workload ' +
  'float32 float64 foreignKey hashKey immutable index int64 interleaveIn json jsonb suppress many numeric one parentKey ' +
  'pgSchema pgSequence pgTable pgView primaryKey real relations rowDeletionPolicy schema shardKey spannerSchema spannerSequence ' +
  'spannerTable spannerView sql string t tables timestamp toSchema uniqueIndex uuid uuidV4 varchar'

/** Words that no constant of a module can be called. */
const KEYWORDS =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
  'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
  'this throw true try typeof undefined var void while with yield'

const RESERVED = new Set(`${TAKEN} ${KEYWORDS}`.split(' '))

/** The identifiers in the file of all tables, by the names in the database. */
export interface DrizzleNames {
  readonly tables: ReadonlyMap<string, string>
  readonly views: ReadonlyMap<string, string>
  readonly sequences: ReadonlyMap<string, string>
  readonly namespaces: ReadonlyMap<string, string>
  /** A name that nothing has yet. */
  claim(name: string): string
}

/** The identifiers of tables in a named schema contain its name only if two clash. */
export function drizzleNames(schema: Schema): DrizzleNames {
  const taken = new Set<string>()
  const plain = [...schema.tables, ...schema.views, ...schema.sequences].map(({ name }) =>
    camelCase(partsOf(name).name),
  )
  const named =
    (kind: string) =>
    (qualified: string): readonly [string, string] => {
      const { namespace, name } = partsOf(qualified)
      const wanted = camelCase(name)
      const clashes = namespace !== undefined && plain.filter((each) => each === wanted).length > 1
      const identifier = clashes ? camelCase(namespace) + pascalCase(name) : wanted
      return [qualified, claim(RESERVED.has(identifier) ? `${identifier}${kind}` : identifier, taken)]
    }
  const tables = new Map(schema.tables.map(({ name }) => named('Table')(name)))
  const views = new Map(schema.views.map(({ name }) => named('View')(name)))
  const sequences = new Map(schema.sequences.map(({ name }) => named('Sequence')(name)))
  const namespaces = new Map(
    namespacesOf(schema).map((name) => [name, claim(`${camelCase(name)}Schema`, taken)]),
  )
  return { tables, views, sequences, namespaces, claim: (name) => claim(name, taken) }
}

function namespacesOf({ namespaces, tables, views, sequences }: Schema): readonly string[] {
  const held = [...tables, ...views, ...sequences].flatMap(({ name }) => partsOf(name).namespace ?? [])
  return [...new Set([...namespaces, ...held])]
}
