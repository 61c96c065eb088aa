import { generatedName } from '@isotherm/core/engine'
import { constraintName } from '@isotherm/core/adapter'
import { describe, expect, it } from 'vitest'
import * as googleSql from '../../src/googlesql/lexical-syntax.js'
import * as postgreSql from '../../src/postgresql/lexical-syntax.js'
import { MAX_GENERATED_NAME } from '../../../core/src/model/generated.js'

describe('quote() in both dialects', () => {
  it.each([
    ['Order', '`Order`', '"Order"'],
    ['sales.Order', '`sales`.`Order`', '"sales"."Order"'],
    ['a`b', '`a\\`b`', '"a`b"'],
    ['a"b', '`a"b`', '"a""b"'],
    ['a\\', '`a\\\\`', '"a\\"'],
    ['a\\`; DROP TABLE `b', '`a\\\\\\`; DROP TABLE \\`b`', '"a\\`; DROP TABLE `b"'],
    ['a"; DROP TABLE "b', '`a"; DROP TABLE "b`', '"a""; DROP TABLE ""b"'],
  ])('keeps the name %j inside its quotes', (name, backQuoted, doubleQuoted) => {
    expect(googleSql.quote(name)).toBe(backQuoted)
    expect(postgreSql.quote(name)).toBe(doubleQuoted)
  })
})

describe('literal() in both dialects', () => {
  it.each([
    ['36h', "'36h'", "'36h'"],
    ["it's", "'it\\'s'", "'it''s'"],
    ['\\N', "'\\\\N'", "'\\N'"],
    ["\\'", "'\\\\\\''", "'\\'''"],
    ['a\nb', "'a\\nb'", "'a\nb'"],
  ])('keeps the text %j inside its quotes', (text, escaped, doubled) => {
    expect(googleSql.literal(text)).toBe(escaped)
    expect(postgreSql.literal(text)).toBe(doubled)
  })
})

describe('generated names', () => {
  it('generatedName() joins its parts without the named schema', () => {
    expect(generatedName('sales.Order', 'status')).toBe('Order_status')
    expect(generatedName('Order')).toBe('Order')
  })

  it('constraintName() includes the named schema, since all constraints share one namespace', () => {
    expect(constraintName('sales.Order', 'shardId', 'range')).toBe('sales_Order_shardId_range')
    expect(constraintName('Order', 'shardId', 'range')).toBe('Order_shardId_range')
  })

  it.each([generatedName, constraintName])(
    'are cut and end with a hash when they are longer than PostgreSQL allows',
    (make) => {
      const long = 'x'.repeat(MAX_GENERATED_NAME)
      expect(make('x'.repeat(59), 'abc')).toBe(`${'x'.repeat(59)}_abc`)
      const [first, second] = [make(long, 'a'), make(long, 'b')]
      expect(first).toHaveLength(MAX_GENERATED_NAME)
      expect(first).toMatch(/^x+_[0-9a-f]{8}$/)
      expect(second).not.toBe(first)
      expect(make(long, 'a')).toBe(first)
    },
  )
})
