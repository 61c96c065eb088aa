import { tokenize } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cassandraCapabilities, keyspacesCapabilities } from '../../src/cql/capabilities.js'
import { type CqlDdlSyntax, type StoredTable, cqlDdlSyntax } from '../../src/ddl/ddl.js'
import { cqlLexicalSyntax, literal, quote } from '../../src/cql/identifier.js'

// Names are checked when a schema is made. An unchecked name, of a schema that was built by hand, still stays in
// its quotes.

interface Names {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly field: string
  readonly index: string
}

const plain: Names = { table: 't', column: 'c', type: 'u', field: 'f', index: 'i' }

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom('"', '""', "'", '$$', '--', '//', '/*', '*/', ';', '\n', ' ', ')', ' text, x int', 'a'),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.join('')),
)

function everyStatement(syntax: CqlDdlSyntax, { table, column, type, field, index }: Names): string[] {
  const stored: StoredTable = {
    name: table,
    layouts: [],
    columns: [
      { name: column, type: { kind: 'udt', name: type, frozen: true } },
      {
        name: 'k',
        type: { kind: 'map', key: { kind: 'ascii' }, of: { kind: 'udt', name: type, frozen: true } },
      },
      { name: field, type: { kind: 'int32' }, static: true },
    ],
    key: [
      { name: column, order: 'asc' },
      { name: field, order: 'desc' },
    ],
    partition: 1,
    ttlSeconds: 60,
  }
  return [
    syntax.type({ name: type, fields: [{ name: field, type: { kind: 'string', length: 'max' } }] }),
    syntax.table(stored),
    syntax.index(table, { name: index, column: stored.columns[0]! }),
    syntax.index(table, {
      name: index,
      column: { name: column, type: { kind: 'set', of: { kind: 'ascii' }, frozen: true } },
    }),
    syntax.addColumn(table, stored.columns[2]!),
    syntax.dropColumn(table, column),
    syntax.renameKeyColumn(table, column, field),
    syntax.addTypeField(type, { name: field, type: { kind: 'bool' } }),
    ...syntax.tableOptions(table, { ttlSeconds: 60 }, { ttlSeconds: undefined }),
    syntax.dropTable(table),
    syntax.dropType(type),
    syntax.dropIndex(index),
  ]
}

describe.each([
  ['Cassandra', cassandraCapabilities],
  ['Keyspaces', keyspacesCapabilities],
] as const)('a name in the DDL of %s', (_engine, has) => {
  const syntax = cqlDdlSyntax(has)
  const tokensOf = (names: Names) =>
    everyStatement(syntax, names).map((each) => tokenize(each, cqlLexicalSyntax))

  it('a hostile name stays one quoted token and does not change any other token', () => {
    fc.assert(
      fc.property(
        fc.record({ table: hostile, column: hostile, type: hostile, field: hostile, index: hostile }),
        (names) => {
          const originals = new Map(
            Object.entries(plain).map(([position, name]) => [name, names[position as keyof Names]]),
          )
          const expected = tokensOf(plain).map((tokens) =>
            tokens.map((token) =>
              token.kind === 'quoted' ? { ...token, text: originals.get(token.text) ?? token.text } : token,
            ),
          )
          expect(tokensOf(names)).toStrictEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('quote() and literal() in CQL', () => {
  it('write a name and a text that the tokenizer reads back unchanged', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(tokenize(quote(text), cqlLexicalSyntax)).toStrictEqual([{ kind: 'quoted', text }])
        expect(tokenize(literal(text), cqlLexicalSyntax)).toStrictEqual([{ kind: 'string', text }])
      }),
    )
  })
})
