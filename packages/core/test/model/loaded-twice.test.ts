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

/** Loads an ES module or a CommonJS module, according to the file extension. */
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
] as const)('defineSchema() with models declared as %s in a module that is loaded twice', (kind, line) => {
  const of = (file: string, at = line) => `${join(folder, kind, file)}:${at}`

  it('rejects models that were loaded twice, with the paths of both files, when the schema contains both copies', () => {
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

  it('rejects a table that is interleaved in the other copy of its parent, with the paths of both files', () => {
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

  it('reports models as loaded twice even when the copy in the older build lacks a column', () => {
    const more = kind === 'classes' ? "Column.string()(Customer.prototype, 'name')" : ', name: t.string()'
    const source = load(`${kind}/new/stale.mjs`, modelsIn(kind, more))
    const built = load(`${kind}/old/stale.mjs`, modelsIn(kind))
    expect(findingsOf(source.Customer, built.Customer)).toMatchObject([
      { message: `was loaded twice: from ${of('new/stale.mjs')} and from ${of('old/stale.mjs')}.` },
    ])
  })

  it('reports a name conflict, not models loaded twice, when the files have different names', () => {
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

it('defineSchema() reports a name conflict for two classes of different names and the same table name', () => {
  const { Customer } = load('one.mjs', modelsIn('classes'))
  const renamed = modelsIn('classes').replace('class Customer {}', 'const Customer = class Client {}')
  expect(findingsOf(Customer, load('two/one.mjs', renamed).Customer)).toMatchObject([
    { message: 'has the same name as the table Customer.' },
  ])
})

it('defineSchema() omits the file paths of a model loaded twice when there are no stack traces', () => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const declare = () => core.defineTable('Log', (t) => ({ id: t.uuidV4() }))
    expect(findingsOf(declare(), declare())).toMatchObject([{ message: 'was loaded twice.' }])
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
})
