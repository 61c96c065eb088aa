import type { ColumnType, ElementType, ScalarType } from '@isotherm/core'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnTypeOf } from '../../src/ddl/introspect.js'
import { cqlType } from '../../src/cql/types.js'

const SCALARS: readonly ScalarType[] = [
  { kind: 'bool' },
  { kind: 'int64' },
  { kind: 'int32' },
  { kind: 'int16' },
  { kind: 'int8' },
  { kind: 'varint' },
  { kind: 'float32' },
  { kind: 'float64' },
  { kind: 'decimal' },
  { kind: 'string', length: 'max' },
  { kind: 'ascii' },
  { kind: 'bytes', length: 'max' },
  { kind: 'date' },
  { kind: 'time' },
  { kind: 'timestamp' },
  { kind: 'duration' },
  { kind: 'uuid' },
  { kind: 'timeuuid' },
  { kind: 'inet' },
  { kind: 'counter' },
]

/** Names of user types, common and unusual ones. */
const NAMES = ['address', 'Address', 'a b', 'say "hi"', 'int', 'a<b>', 'x,y']

const scalar: fc.Arbitrary<ScalarType> = fc.constantFrom(...SCALARS)

/** Types inside other types are frozen. */
const { element } = fc.letrec<{ element: ElementType; frozen: ElementType }>((tie) => ({
  element: fc.oneof({ weight: 3, arbitrary: scalar }, tie('frozen')),
  frozen: fc.oneof(
    { depthSize: 'small' },
    fc.record({
      kind: fc.constant('array' as const),
      of: tie('element'),
      frozen: fc.constant(true as const),
    }),
    fc.record({ kind: fc.constant('set' as const), of: tie('element'), frozen: fc.constant(true as const) }),
    fc.record({
      kind: fc.constant('map' as const),
      key: scalar,
      of: tie('element'),
      frozen: fc.constant(true as const),
    }),
    fc.record({
      kind: fc.constant('tuple' as const),
      of: fc.array(tie('element'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('udt' as const),
      name: fc.constantFrom(...NAMES),
      frozen: fc.constant(true as const),
    }),
    fc.record({
      kind: fc.constant('vector' as const),
      of: fc.constant('float32' as const),
      dimensions: fc.integer({ min: 1, max: 9 }),
    }),
  ),
}))

it('columnTypeOf() reads every type back from the text that cqlType() writes', () => {
  const userTypes = new Set(NAMES)
  fc.assert(
    fc.property(element, fc.boolean(), (type, thawed) => {
      const { frozen: _, ...rest } = type as ElementType & { frozen?: true }
      const isFreezable = 'frozen' in type
      const column = (thawed && isFreezable ? rest : type) as ColumnType
      expect(columnTypeOf(cqlType(column), userTypes)).toEqual(column)
    }),
  )
})

it.each([
  "'org.apache.cassandra.db.marshal.Custom'",
  'address',
  'list<',
  'list<int',
  'list<int> x',
  'map<int>',
  '',
  'vector<int, 3>',
])('columnTypeOf() returns undefined for an unknown or malformed type: %s', (text) => {
  expect(columnTypeOf(text, new Set())).toBeUndefined()
})
