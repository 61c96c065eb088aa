import { type Schema, defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { camelCase, kebabCase, modelNames, pascalCase, propertyNames } from '../../src/pull/source/naming.js'

function schemaOf(tables: readonly string[], columns: readonly string[] = ['id']): Schema {
  return defineSchema(
    tables.map((name) =>
      defineTable(name, (t) =>
        Object.fromEntries(columns.map((column, at) => [`p${at}`, t.int64({ name: column }).key()])),
      ),
    ),
  )
}

/** The schema as read from a database: property names are column names. */
function asRead(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(/"property":"p\d+","name":("\w+")/g, '"property":$1,"name":$1'),
  ) as Schema
}

describe('case conversion of names', () => {
  it.each([
    ['user_id', 'userId', 'UserId', 'user-id'],
    ['UserID', 'userId', 'UserID', 'user-id'],
    ['userId', 'userId', 'UserId', 'user-id'],
    ['HTTPServer', 'httpServer', 'HTTPServer', 'http-server'],
    ['SHARD_ID', 'shardId', 'ShardId', 'shard-id'],
    ['id', 'id', 'Id', 'id'],
    ['address2_line', 'address2Line', 'Address2Line', 'address2-line'],
    ['trailing_', 'trailing', 'Trailing', 'trailing'],
    ['naïve größe', 'naïveGröße', 'NaïveGröße', 'naïve-größe'],
    ['2fa', '_2fa', '_2fa', '2fa'],
    ['-', 'unnamed', 'Unnamed', 'unnamed'],
    // Unicode added the upper case of this letter later than compilers know.
    ['\u0264', '\u0264', 'Unnamed', '\u0264'],
    ['a\u{1c89}b', 'ab', 'Ab', 'a-\u{1c8a}b'],
  ])(
    'converts %s to %s in camelCase(), %s in pascalCase() and %s in kebabCase()',
    (name, camel, pascal, kebab) => {
      expect([camelCase(name), pascalCase(name), kebabCase(name)]).toEqual([camel, pascal, kebab])
    },
  )
})

describe('modelNames()', () => {
  it('gives each model a unique identifier and a unique file', () => {
    const schema = schemaOf(['user_log', 'UserLog', 'sales.UserLog', 'sales.Order', 'Sales_.Line', 'Order_'])
    expect(Object.fromEntries(modelNames(schema))).toEqual({
      user_log: { identifier: 'UserLog', path: 'user-log' },
      UserLog: { identifier: 'UserLog2', path: 'user-log-2' },
      'sales.UserLog': { identifier: 'SalesUserLog', path: 'sales/user-log' },
      'sales.Order': { identifier: 'SalesOrder', path: 'sales/order' },
      'Sales_.Line': { identifier: 'Line', path: 'sales-2/line' },
      Order_: { identifier: 'Order', path: 'order' },
    })
  })

  it('avoids global and imported identifiers and reserved file names', () => {
    const names = modelNames(schemaOf(['Object', 'Table', 'Date', 'index', 'con', 'lpt1', 'Event']))
    expect([...names.values()].map(({ identifier }) => identifier)).toEqual([
      'ObjectModel',
      'TableModel',
      'DateModel',
      'IndexModel',
      'Con',
      'Lpt1',
      'Event',
    ])
    expect([...names.values()].map(({ path }) => path)).toEqual([
      'object',
      'table',
      'date',
      'index-table',
      'con-table',
      'lpt1-table',
      'event',
    ])
  })
})

describe('propertyNames()', () => {
  it('converts column names to camel case in a schema read from a database', () => {
    const columns = ['user_id', 'UserName', 'constructor', 'toString', 'NOT', 'URL', 'userURL']
    const read = asRead(schemaOf(['T'], columns))
    expect([...propertyNames(read).get('T')!.values()]).toEqual([
      'userURL',
      'userId',
      'userName',
      'constructor_',
      'toString_',
      'not',
      'url',
    ])
  })

  it('keeps the properties of a schema declared in code', () => {
    expect(Object.fromEntries(propertyNames(schemaOf(['T'], ['user_id', 'other'])).get('T')!)).toEqual({
      p0: 'p0',
      p1: 'p1',
    })
  })

  it('numbers a property whose name another column already has', () => {
    const read = asRead(schemaOf(['T'], ['user_id', 'USER__ID', 'userId2']))
    expect(Object.fromEntries(propertyNames(read).get('T')!)).toEqual({
      userId2: 'userId2',
      user_id: 'userId',
      USER__ID: 'userId3',
    })
  })
})
