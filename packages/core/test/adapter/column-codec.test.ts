import type { ColumnType } from '@isotherm/core'
import { columnCodec } from '@isotherm/core/adapter'
import { googleSqlColumnType } from '@isotherm/spanner/adapter'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

const ID = '00112233-4455-4677-8899-aabbccddeeff'
const LOCATION = { table: 'User', column: 'id' }

describe.each([googlesql, spannerPostgresql])('columnCodec() in $name', (dialect) => {
  const postgres = dialect.name === 'spanner-postgresql'

  it('stores a UUID as text, as 16 bytes, or in the native UUID type', () => {
    const text = columnCodec({ kind: 'uuid' }, dialect)
    const bytes = columnCodec({ kind: 'uuid', storage: 'bytes' }, dialect)
    const native = columnCodec({ kind: 'uuid', storage: 'native' }, dialect)
    expect([text.sqlType, bytes.sqlType, native.sqlType]).toEqual(
      postgres ? ['varchar(36)', 'bytea', 'uuid'] : ['STRING(36)', 'BYTES(16)', 'UUID'],
    )
    expect([text, native].map((codec) => codec.encode(ID.toUpperCase()))).toEqual([ID, ID])
    expect(bytes.type).toEqual({ kind: 'bytes', length: 16 })
    const sent = bytes.encode(ID.toUpperCase())
    expect(sent).toBe(Buffer.from('00112233445546778899aabbccddeeff', 'hex').toString('base64'))
    expect(bytes.decode(Buffer.from(String(sent), 'base64'))).toBe(ID)
    expect(bytes.parse(sent)).toBe(ID)
  })

  it('rejects UUID storage that needs two columns, and an array of UUIDs in bytes', () => {
    const pair = refusal(() => columnCodec({ kind: 'uuid', storage: 'int64-pair' }, dialect, LOCATION))
    expect(pair).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'User', column: 'id' })
    expect(pair.message).toBe(
      "User.id would be a UUID in two integers, which are two columns. Use storage 'text', 'bytes' or 'native'.",
    )
    const items: ColumnType = { kind: 'array', of: { kind: 'uuid', storage: 'bytes' } }
    expect(refusal(() => columnCodec(items, dialect)).message).toBe(
      "A column would be an array of UUIDs in bytes. Use storage 'text' or 'native' in an array.",
    )
  })

  it('reports the column in errors of encode(), decode() and parse()', () => {
    const number = columnCodec({ kind: 'int64', as: 'number' }, dialect, LOCATION)
    for (const refused of [
      () => number.encode('7'),
      () => number.decode(2n ** 60n),
      () => number.parse('x'),
    ]) {
      expect(refusal(refused)).toMatchObject({ code: 'INVALID_VALUE', table: 'User', column: 'id' })
    }
    expect(refusal(() => number.encode('7')).message).toContain(
      'User.id takes a whole number of up to 53 bits',
    )
    const nobody = columnCodec({ kind: 'uuid', storage: 'bytes' }, dialect)
    expect(refusal(() => nobody.encode('x')).message).toBe('A parameter takes a UUID, not "x".')
  })
})

it('googleSqlColumnType() parses the text of a GoogleSQL type and rejects types of PostgreSQL', () => {
  expect(googleSqlColumnType('array<string(36)>')).toEqual({
    kind: 'array',
    of: { kind: 'string', length: 36 },
  })
  expect(googleSqlColumnType('BYTES(MAX)')).toEqual({ kind: 'bytes', length: 'max' })
  expect(refusal(() => googleSqlColumnType('varchar(36)'))).toMatchObject({ code: 'UNSUPPORTED_MODEL' })
})
