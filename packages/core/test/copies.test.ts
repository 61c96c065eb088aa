import { readFileSync } from 'node:fs'
import * as source from '@isotherm/core'
import { bindingOf, COMMIT_TIMESTAMP, NotAccepted } from '@isotherm/core/engine'
import { googlesql } from '@isotherm/spanner'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../src/copies.js'
import { currentTransaction, TransactionLife } from '../src/transaction/scope.js'
import { silentDriver } from './support/silent-driver.js'
import { refusal } from './support/refusal.js'

// Two copies of this package in one process: its sources, and what the compiler made of them.

type Core = typeof source
const dist = (path: string) => import(new URL(`../dist/${path}.js`, import.meta.url).href)
const built = (await dist('index')) as Core
const builtEngine = (await dist('for-engines')) as typeof import('@isotherm/core/engine')
const builtTools = (await dist('for-tools')) as typeof import('@isotherm/core/tools')
const builtScope = (await dist('transaction/scope')) as typeof import('../src/transaction/scope.js')

const COPIES: Readonly<Record<string, Core>> = { source, built }
type Mode = 'standard' | 'legacy'
/** How one class is compiled, and which copy decorates it. */
type Making = readonly [copy: keyof typeof COPIES, mode: Mode]
const MAKINGS: readonly Making[] = [
  ['source', 'standard'],
  ['source', 'legacy'],
  ['built', 'standard'],
  ['built', 'legacy'],
]

/** The class of a declaration, compiled in one mode and decorated by one copy. */
async function made<Class = object>(
  [copy, mode]: Making,
  declaration: string,
  options: object = {},
): Promise<Class> {
  const { code } = await transform(declaration, {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: {
      compilerOptions: {
        experimentalDecorators: mode === 'legacy',
        useDefineForClassFields: mode !== 'legacy',
      },
    },
  })
  const scope = { ...COPIES[copy], ...options }
  const names = Object.keys(scope)
  const name = /class (\w+)/.exec(declaration)![1]!
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- The class is compiled here, for each mode.
  return new Function(...names, `${code}\nreturn ${name}`)(...Object.values(scope)) as Class
}

const ENTITY = `
@Index({ on: ['createdAt'] })
abstract class Entity {
  @UuidV4() id!: string
  @Column.timestamp({ default: 'now' }) createdAt!: Date
  @Column.string({ length: 20, name: 'tenant_name' }) tenant!: string
}`
const AUDITED = `
@Index({ on: ['editor'], unique: true })
abstract class Audited extends Entity {
  @Column.string() editor!: string
}`
const ORDER = `
@Table('Order')
@Index({ on: ['total'] })
class Order extends Audited {
  @Column.numeric() total!: string
  @Column.string({ length: 40, immutable: true }) tenant!: string
}`

async function order(entity: Making, audited: Making, own: Making): Promise<object> {
  const Entity = await made(entity, ENTITY)
  const Audited = await made(audited, AUDITED, { Entity })
  return made(own, ORDER, { Audited })
}

const expected = source.defineSchema([
  await order(['source', 'standard'], ['source', 'standard'], ['source', 'standard']),
])

describe('inheritance between classes of two copies of @isotherm/core', () => {
  it.each(
    MAKINGS.flatMap((entity) =>
      MAKINGS.flatMap((audited) => MAKINGS.map((own) => ({ entity, audited, own }))),
    ),
  )(
    'a class inherits columns and indexes over three classes, decorated by $entity, $audited and $own',
    async ({ entity, audited, own }) => {
      const model = await order(entity, audited, own)
      expect(expected.tables[0]!.columns.map(({ property }) => property)).toEqual([
        'id',
        'createdAt',
        'tenant',
        'editor',
        'total',
      ])
      expect(source.defineSchema([model])).toEqual(expected)
      expect(built.defineSchema([model])).toEqual(expected)
    },
  )

  it.each(MAKINGS)(
    'a class inherits the columns of a mixin that the copy %s decorates in mode %s',
    async (...mixin) => {
      for (const own of MAKINGS) {
        const Base = await made(['source', 'legacy'], 'class Base { @UuidV4() id!: string }')
        const Dated = await made(mixin, 'class Dated extends Base { @Column.timestamp() at!: Date }', {
          Base,
        })
        // A class between the two that has no decorators.
        const Plain = await made(own, 'class Plain extends Dated { shown() {} }', { Dated })
        const Note = await made(
          own,
          "@Table('Note') class Note extends Plain { @Column.string() text!: string }",
          {
            Plain,
          },
        )
        const [table] = source.defineSchema([Note]).tables
        expect(table!.columns.map(({ property }) => property)).toEqual(['id', 'at', 'text'])
      }
    },
  )

  it.each(MAKINGS)(
    'defineSchema() gives a base model, decorated by the copy %s in mode %s, and its subclass a table each',
    async (...base) => {
      for (const own of MAKINGS) {
        const Person = await made(base, "@Table('Person') class Person { @UuidV4() id!: string }")
        const Member = await made(
          own,
          "@Table('Member') class Member extends Person { @Column.int64() since!: bigint }",
          {
            Person,
          },
        )
        const { tables } = source.defineSchema([Person, Member])
        expect(tables.map(({ name, columns }) => [name, ...columns.map(({ property }) => property)])).toEqual(
          [
            ['Person', 'id'],
            ['Member', 'id', 'since'],
          ],
        )
      }
    },
  )

  it.each(MAKINGS)(
    'a user type inherits fields from a base class that the copy %s decorates in mode %s',
    async (...type) => {
      for (const own of MAKINGS) {
        const Base = await made(type, 'abstract class Base { @Column.string() street!: string }')
        const Address = await made(
          own,
          "@UserType('address') class Address extends Base { @Column.ascii() zip!: string }",
          {
            Base,
          },
        )
        const declaration =
          "@Table('Person') class Person { @UuidV4() id!: string; @Column.udt(Address) home!: object }"
        const Person = await made(type, declaration, { Address })
        expect(source.defineSchema([Person]).userTypes).toMatchObject([
          { name: 'address', fields: [{ name: 'street' }, { name: 'zip' }] },
        ])
      }
    },
  )

  it('a class inherits columns when Symbol.metadata is replaced between the base class and the subclass', async () => {
    const symbols = Symbol as { metadata?: symbol }
    const { metadata } = symbols
    for (const mode of ['standard', 'legacy'] as const) {
      try {
        const Base = await made(['source', 'standard'], 'abstract class Base { @UuidV4() id!: string }')
        symbols.metadata = Symbol('Symbol.metadata')
        const Note = await made(['built', mode], "@Table('Note') class Note extends Base {}", { Base })
        expect(source.defineSchema([Note]).tables[0]!.columns).toHaveLength(1)
      } finally {
        symbols.metadata = metadata!
      }
    }
  })

  it('a class accepts decorators of two copies on one column', async () => {
    const { Key } = built
    const Note = await made(
      ['source', 'standard'],
      "@Table('Note') class Note { @Key() @Column.string() id!: string }",
      {
        Key,
      },
    )
    expect(source.defineSchema([Note]).tables[0]).toMatchObject({ primaryKey: [{ property: 'id' }] })
  })
})

describe('declarations of an incompatible version of @isotherm/core', () => {
  const FIX =
    'Install one version for the application and its libraries: npm ls @isotherm/core lists the copies.'
  const foreign = { format: 2, version: '9.8.7' }

  it('defineSchema() rejects a base class of an incompatible version with the name of the class and both versions', async () => {
    const Base = await made<{ prototype: object }>(
      ['built', 'legacy'],
      'abstract class Base { @UuidV4() id!: string }',
    )
    const key = Symbol.for('isotherm.recording')
    expect(Object.getOwnPropertyDescriptor(Base.prototype, key)?.value).toMatchObject({
      format: 1,
      version: VERSION,
    })
    Object.assign(Object.getOwnPropertyDescriptor(Base.prototype, key)!.value as object, foreign)
    const Note = await made(['source', 'standard'], "@Table('Note') class Note extends Base {}", { Base })
    expect(refusal(() => source.defineSchema([Note]))).toMatchObject({
      code: 'SCHEMA_INVALID',
      message: `Base was recorded by another version of @isotherm/core: 9.8.7, and this is ${VERSION}. ${FIX}`,
      fix: FIX,
    })
  })

  it.each([
    ['version 9.8.7', foreign, '9.8.7'],
    ['an unknown version', {}, 'its version is unknown'],
  ])('defineSchema() rejects a model that was recorded by %s', (_, recorded, version) => {
    const Note = Object.defineProperty({ name: 'Note' }, '~isotherm.definition', { value: () => recorded })
    expect(refusal(() => source.defineSchema([Note])).message).toBe(
      `Note was recorded by another version of @isotherm/core: ${version}, and this is ${VERSION}. ${FIX}`,
    )
  })

  it('compileDdl() rejects a dialect of an incompatible version with both versions', () => {
    const dialect = Object.defineProperty({ ...googlesql }, Symbol.for('isotherm.dialect'), {
      value: { seam: 2, version: '9.8.7' },
    })
    const schema = source.defineSchema([source.defineTable('Log', (t) => ({ id: t.uuidV4() }))])
    expect(refusal(() => source.compileDdl(schema, { dialect })).fix).toBe(
      `Give a dialect whose package uses this version of @isotherm/core, ${VERSION}: this one uses 9.8.7. npm ls @isotherm/core lists the copies.`,
    )
  })
})

describe('values of another copy of @isotherm/core', () => {
  const refused = (): unknown => {
    try {
      built.defineSchema([{}])
    } catch (error) {
      return error
    }
    return undefined
  }

  it('instanceof matches errors across copies by their class, but not as subclasses of the application', () => {
    const error = refused()
    expect(Object.getPrototypeOf(error)).not.toBe(source.SchemaError.prototype)
    expect(error instanceof source.SchemaError).toBe(true)
    expect(error instanceof source.IsothermError).toBe(true)
    expect(error instanceof source.HotspotError).toBe(false)
    expect(new builtEngine.NotAccepted('takes no 1.') instanceof NotAccepted).toBe(true)
    expect(new Error('x') instanceof source.IsothermError).toBe(false)
    class Own extends source.IsothermError {}
    expect(error instanceof Own).toBe(false)
    expect(new Own('DATABASE', 'x') instanceof Own).toBe(true)
    expect(new Own('DATABASE', 'x') instanceof built.IsothermError).toBe(true)
    expect(new Own('DATABASE', 'x') instanceof built.SchemaError).toBe(false)
  })

  it('jsonNull and COMMIT_TIMESTAMP are the same values in both copies', () => {
    expect(built.jsonNull).toBe(source.jsonNull)
    expect(builtEngine.COMMIT_TIMESTAMP).toBe(COMMIT_TIMESTAMP)
  })

  it('compileDdl() accepts a dialect that another copy defined', () => {
    const schema = source.defineSchema([source.defineTable('Log', (t) => ({ id: t.uuidV4() }))])
    const dialect = builtTools.defineDialect({ ...googlesql })
    expect(source.compileDdl(schema, { dialect })).toEqual(source.compileDdl(schema, { dialect: googlesql }))
  })

  it('bindingOf() finds the counter of a sequential column that another copy declared', () => {
    const counter = { next: () => 1n }
    const Log = built.defineTable('Log', (t) => ({ id: t.uuidV4(), number: t.sequential({ from: counter }) }))
    const { columns } = built.defineSchema([Log]).tables[0]!
    expect(bindingOf(columns[1]!.source!).counter).toBe(counter)
  })

  it('currentTransaction() returns the same transaction in both copies', async () => {
    const life = new TransactionLife(silentDriver)
    await life.run(async () => {
      expect(builtScope.currentTransaction()).toBe(life)
      expect(currentTransaction()).toBe(life)
      await Promise.resolve()
    })
  })
})

it('VERSION equals the version in package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as object
  expect(manifest).toMatchObject({ version: VERSION })
})
