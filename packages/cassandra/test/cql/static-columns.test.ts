import type { Mutation, Field, TableLayout, Wire } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { cqlStatements } from '../../src/cql/statements.js'
import { fieldNamed, keyPart, layoutByHand } from './support/key.js'

const statements = cqlStatements({ tupleRelations: true })

function staticNamed(name: string): Field {
  const field = fieldNamed(name)
  return { ...field, column: { ...field.column, static: true } }
}

const entry = layoutByHand('entry', [keyPart('log'), keyPart('place')], 1, [
  staticNamed('owner'),
  fieldNamed('text'),
])
const member = layoutByHand('member', [keyPart('club'), keyPart('person')], 1, [staticNamed('motto')])

function update(layout: TableLayout, row: Readonly<Record<string, Wire>>): Mutation {
  const { name } = layout.table
  return { op: 'update', table: name, layout, columns: Object.keys(row), rows: [Object.values(row)] }
}

describe('static columns in CQL', () => {
  const mutation = update(entry, { log: '1', place: '2', owner: '3' })

  it('are updated with IF EXISTS beside an unset column of the row in a conditional write', () => {
    const [statement] = statements.write(mutation, { conditional: true })
    expect(statement).toMatchObject({
      text: 'UPDATE "entry" SET "owner" = ?, "text" = ? WHERE "log" = ? AND "place" = ? IF EXISTS',
      unset: [1],
      routing: [2],
    })
    expect(statement!.parameters.map(({ value }) => value)).toEqual(['3', null, '1', '2'])
  })

  it('are updated by the partition key alone in an unconditional write and in writeIf()', () => {
    const [plain] = statements.write(mutation, { conditional: false })
    expect(plain!.text).toBe('UPDATE "entry" SET "owner" = ? WHERE "log" = ?')
    expect(plain!.parameters.map(({ value }) => value)).toEqual(['3', '1'])
    const compared = statements.writeIf(mutation, { owner: '7' }, {})
    expect(compared.text).toBe('UPDATE "entry" SET "owner" = ? WHERE "log" = ? IF "owner" = ?')
    expect(compared.parameters.map(({ value }) => value)).toEqual(['3', '1', '7'])
  })

  it('a conditional update of static columns throws UNSUPPORTED_WRITE when the row has no other column', () => {
    const alone = update(member, { club: '1', person: '2', motto: '3' })
    expect(() => statements.write(alone, { conditional: true })).toThrowError(
      expect.objectContaining({ code: 'UNSUPPORTED_WRITE', table: 'member' }),
    )
  })

  it('are read together with a clustering column that shows whether the row exists', () => {
    const columns = entry.columns.filter(({ name }) => name === 'owner')
    expect(statements.get(entry, columns, ['1', '2'])).toMatchObject({
      text: 'SELECT "owner", "place" FROM "entry" WHERE "log" = ? AND "place" = ?',
      requestedCount: 1,
      present: [1],
    })
  })
})
