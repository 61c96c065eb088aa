import * as core from '@isotherm/core'
import { Column, Key, Table, UuidV4, defineSchema } from '@isotherm/core'
// Without `type`: a compiler that sees one file at a time imports these types as values if it emits the types of fields.
import { Generated, JsonDocument, Row } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

// Under experimentalDecorators with emitDecoratorMetadata and reflect-metadata alone.

@Table('Inferred')
class Inferred {
  @Key()
  @Column()
  string!: string

  @Column()
  boolean!: boolean

  @Column()
  date!: Date

  @Column()
  bigint!: bigint

  @Column()
  buffer!: Buffer

  @Column({ name: 'the_union', immutable: true })
  union!: 'open' | 'paid'
}

describe('@Column() under reflect-metadata', () => {
  it('infers the column types of string, boolean, Date, bigint and Buffer', () => {
    const columns = defineSchema([Inferred]).tables[0]!.columns
    expect(columns.map(({ property, type }) => [property, type])).toStrictEqual([
      ['string', { kind: 'string', length: 'max' }],
      ['boolean', { kind: 'bool' }],
      ['date', { kind: 'timestamp' }],
      ['bigint', { kind: 'int64' }],
      ['buffer', { kind: 'bytes', length: 'max' }],
      ['union', { kind: 'string', length: 'max' }],
    ])
    expect(columns.at(-1)).toMatchObject({ name: 'the_union', immutable: true, nullable: false })
  })

  it('infers a string from the object of a string enum, which compilers of single files write for an imported one', () => {
    enum Color {
      Red = 'red',
      Green = 'green',
    }
    enum Level {
      Low,
    }
    // Runs after what the compiler writes, as if it had written this.
    const reflected = (type: unknown): PropertyDecorator =>
      (Reflect as unknown as { metadata(key: string, value: unknown): PropertyDecorator }).metadata(
        'design:type',
        type,
      )
    @Table('Painted')
    class Painted {
      @Key()
      @Column()
      @reflected(Color)
      color!: Color
    }
    expect(defineSchema([Painted]).tables[0]!.columns[0]!.type).toStrictEqual({
      kind: 'string',
      length: 'max',
    })
    for (const type of [Level, {}, null]) {
      const error = refusal(() => {
        class Uncertain {
          @Column()
          @reflected(type)
          level!: string
        }
        return Uncertain
      })
      expect(error).toMatchObject(uncertain('level'))
    }
  })

  it('names the settings where there is no reflected type', () => {
    const error = refusal(() => Column()({ name: '' }, 'name'))
    expect(error).toMatchObject({
      message:
        '@Column() cannot tell the type of name. Declare it: @Column.string(), @Column.int64(), @Column.timestamp() … Types ' +
        'are inferred only under experimentalDecorators with emitDecoratorMetadata and reflect-metadata.',
    })
  })

  const uncertain = (column: string) => ({
    code: 'SCHEMA_INVALID',
    column,
    message:
      `@Column() cannot tell the type of ${column}. Declare it: @Column.string(), @Column.int64(), ` +
      '@Column.timestamp() … Types are inferred for string, boolean, Date, bigint and Buffer; not from an alias or an imported ' +
      'type, if each file is compiled alone, as isotherm does.',
  })

  it('rejects Generated<Date>, whose type the reflected metadata does not contain', () => {
    const error = refusal(() => {
      class Uncertain {
        @Column()
        createdAt!: Generated<Date>
      }
      return Uncertain
    })
    expect(error).toMatchObject(uncertain('createdAt'))
  })

  it('gets Object as the reflected type of fields with a type alias of Isotherm, as from the TypeScript compiler', () => {
    class Typed {
      @UuidV4()
      id!: Generated<string>

      @Column.json()
      document!: JsonDocument

      @Column.json()
      row!: Row<Inferred>
    }
    const reflected = ['id', 'document', 'row'].map((name) =>
      (Reflect as unknown as { getMetadata(key: string, of: object, name: string): unknown }).getMetadata(
        'design:type',
        Typed.prototype,
        name,
      ),
    )
    expect(reflected).toEqual([Object, Object, Object])
  })

  it.each(['Change', 'Generated', 'Insert', 'Json', 'JsonDocument', 'KeyOf', 'Row', 'ValueOf'])(
    '@isotherm/core exports a value named like the type %s, so that an import without "type" resolves',
    (name) => {
      expect(core).toHaveProperty(name, Object)
    },
  )

  it('rejects string | null', () => {
    const error = refusal(() => {
      class Uncertain {
        @Column({ nullable: true })
        name!: string | null
      }
      return Uncertain
    })
    expect(error).toMatchObject(uncertain('name'))
  })

  it('rejects number, which may be INT64, FLOAT64 or NUMERIC', () => {
    const error = refusal(() => {
      class Uncertain {
        // @ts-expect-error: the compiler refuses it too
        @Column()
        count!: number
      }
      return Uncertain
    })
    expect(error).toMatchObject(uncertain('count'))
  })

  it('rejects an array type and an object type', () => {
    const array = refusal(() => {
      class Uncertain {
        // @ts-expect-error: the compiler refuses it too
        @Column()
        tags!: string[]
      }
      return Uncertain
    })
    expect(array).toMatchObject(uncertain('tags'))
    const object = refusal(() => {
      class Uncertain {
        // @ts-expect-error: the compiler refuses it too
        @Column()
        address!: { street: string }
      }
      return Uncertain
    })
    expect(object).toMatchObject(uncertain('address'))
  })

  it('explicit decorators take precedence over the reflected type', () => {
    @Table('Said')
    class Said {
      @UuidV4()
      id!: Generated<string>

      @Column.string({ length: 5 })
      name!: string
    }
    expect(defineSchema([Said]).tables[0]!.columns.map((column) => column.type)).toStrictEqual([
      { kind: 'uuid' },
      { kind: 'string', length: 5 },
    ])
  })
})
