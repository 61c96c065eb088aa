import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as core from '@isotherm/core'
import { afterAll, describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

// Node loads the modules, as it does for an application. They get this copy of the package from a global variable.

const folder = mkdtempSync(join(tmpdir(), 'isotherm-loaded-twice-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  delete (globalThis as { isotherm?: unknown }).isotherm
})
Object.assign(globalThis, { isotherm: core })

interface Models {
  readonly Customer: object
  readonly Order: object
}

/** Two models, declared by decorators as a compiler calls them or by `defineTable`, at the same lines in each module. */
function modelsIn(kind: 'classes' | 'tables', more = ''): string {
  return kind === 'classes'
    ? `const { Column, ParentKey, Table, UuidV4 } = globalThis.isotherm
class Customer {}
UuidV4()(Customer.prototype, 'id')
${more}
Table('Customer')(Customer)
class Order {}
ParentKey()(Order.prototype, 'id')
UuidV4()(Order.prototype, 'orderId')
Table('Order', { interleaveIn: () => Customer })(Order)
`
    : `const { defineTable } = globalThis.isotherm
const Customer = defineTable('Customer', (t) => ({ id: t.uuidV4()${more} }))
const Order = defineTable('Order', (t) => ({ id: t.parentKey(), orderId: t.uuidV4() }), { interleaveIn: () => Customer })
`
}

/** An ES module or CommonJS, by the end of its name. */
function load(path: string, text: string): Models {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  const end = path.endsWith('.cjs') ? 'module.exports = { Customer, Order }' : 'export { Customer, Order }'
  writeFileSync(file, text + end)
  return createRequire(import.meta.url)(file) as Models
}

const FIX =
  'Import it by one path in all files: from its source or from the build, and as an ES module or as CommonJS, but not both.'

describe.each([
  ['classes', 5],
  ['tables', 2],
] as const)('models of %s that are loaded twice', (kind, line) => {
  const of = (file: string, at = line) => `${join(folder, kind, file)}:${at}`

  it('are refused as that, with both files, if both are in the schema', () => {
    const source = load(`${kind}/src/customer.mjs`, modelsIn(kind))
    const built = load(`${kind}/dist/customer.mjs`, modelsIn(kind))
    expect(findingsOf(source.Customer, built.Order, built.Customer)).toEqual([
      {
        table: 'Customer',
        message: `was loaded twice: from ${of('src/customer.mjs')} and from ${of('dist/customer.mjs')}.`,
        fix: FIX,
      },
    ])
  })

  it('are refused as that if a table is interleaved in the other load of its parent', () => {
    const esm = load(`${kind}/both.mjs`, modelsIn(kind))
    const cjs = load(`${kind}/both.cjs`, modelsIn(kind))
    expect(findingsOf(cjs.Customer, esm.Order)).toEqual([
      {
        table: 'Order',
        message: `is interleaved in Customer, which was loaded twice: from ${of('both.cjs')} and from ${of('both.mjs')}.`,
        fix: FIX,
      },
    ])
  })

  it('are refused as that if the build is older and lacks a column', () => {
    const more = kind === 'classes' ? "Column.string()(Customer.prototype, 'name')" : ', name: t.string()'
    const source = load(`${kind}/new/stale.mjs`, modelsIn(kind, more))
    const built = load(`${kind}/old/stale.mjs`, modelsIn(kind))
    expect(findingsOf(source.Customer, built.Customer)).toMatchObject([
      { message: `was loaded twice: from ${of('new/stale.mjs')} and from ${of('old/stale.mjs')}.` },
    ])
  })

  it('are not confused with other tables of one name', () => {
    const more = kind === 'classes' ? "Column.string()(Customer.prototype, 'name')" : ', name: t.string()'
    const sales = load(`${kind}/sales.mjs`, modelsIn(kind, more))
    const billing = load(`${kind}/billing.mjs`, modelsIn(kind))
    expect(findingsOf(sales.Customer, billing.Customer)).toMatchObject([
      { message: 'has the same name as the table Customer.' },
    ])
    expect(findingsOf(sales.Customer, billing.Order)[0]).toMatchObject({
      message: 'is interleaved in Customer, which is not in this schema.',
    })
  })
})

it('refuses two classes of other names for one table by the name of the table', () => {
  const { Customer } = load('one.mjs', modelsIn('classes'))
  const renamed = modelsIn('classes').replace('class Customer {}', 'const Customer = class Client {}')
  expect(findingsOf(Customer, load('two/one.mjs', renamed).Customer)).toMatchObject([
    { message: 'has the same name as the table Customer.' },
  ])
})

it('names a class that has no known place', () => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const declare = () => core.defineTable('Log', (t) => ({ id: t.uuidV4() }))
    expect(findingsOf(declare(), declare())).toMatchObject([{ message: 'was loaded twice.' }])
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
})
