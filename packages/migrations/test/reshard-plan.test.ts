import { diffSchemas, planReshard } from '@isotherm/migrations'
import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { formatReshardCommand, parseReshardCommand } from '../src/reshard/index.js'

const DIALECT = { dialect: googlesql } as const

type Columns = Parameters<typeof defineTable>[1]
type Options = NonNullable<Parameters<typeof defineTable>[2]>

function log(shards: number, name = 'UserAccessLog', options: Options = {}) {
  return defineTable(
    name,
    (t) => ({
      shardId: t.shardKey({ shards, of: ['userId'] }),
      userId: t.int64().key(),
      page: t.string({ nullable: true }),
    }),
    options as object,
  )
}

function plan(from: Schema, to: Schema, table = 'UserAccessLog') {
  return planReshard(from, to, { ...DIALECT, table })
}

function statementsOf(steps: ReturnType<typeof plan>['steps'], name: string): string[] {
  return steps.find((step) => step.name === name)!.statements.map(({ sql }) => sql)
}

describe('planReshard()', () => {
  const other = defineTable('Other', (t) => ({ id: t.uuidV4(), name: t.string() }))

  it('creates a new table with its own names of indexes and checks, and drops the old table in the end', () => {
    const options = {
      indexes: [{ name: 'ByPage', on: ['page'] }],
      checks: [{ name: 'positive', expression: 'userId > 0' }],
    } as const
    const { tables, steps, schema } = plan(
      defineSchema([log(16, 'UserAccessLog', options), other]),
      defineSchema([log(64, 'UserAccessLog', options), other]),
    )
    expect(tables).toEqual([{ from: 'UserAccessLog', to: 'UserAccessLog_r64' }])
    expect(schema.tables.map(({ name }) => name)).toEqual(['UserAccessLog', 'Other', 'UserAccessLog_r64'])
    const created = statementsOf(steps, 'create')
    expect(created.slice(0, 2)).toEqual([
      expect.stringMatching(/^CREATE TABLE IF NOT EXISTS `isotherm_reshard` /),
      expect.stringMatching(/^CREATE TABLE IF NOT EXISTS `isotherm_reshard_copy` /),
    ])
    // Before the new table exists.
    expect(created[2]).toBe('PREPARE UserAccessLog TO UserAccessLog_r64')
    expect(created.slice(3)).toEqual([
      expect.stringMatching(
        /^CREATE TABLE `UserAccessLog_r64` [^]*, 64\)\)\) STORED[^]*`positive_r64` CHECK/,
      ),
      'CREATE INDEX `ByPage_r64` ON `UserAccessLog_r64` (`page`)',
    ])
    expect(steps.map(({ name }) => name)).toEqual([
      'create',
      'begin',
      'copy',
      'verify',
      'switch',
      'finish',
      'drop',
    ])
    expect(statementsOf(steps, 'copy')).toEqual(['COPY UserAccessLog TO UserAccessLog_r64'])
    expect(statementsOf(steps, 'drop')).toEqual([
      'RETIRE UserAccessLog TO UserAccessLog_r64',
      'DROP INDEX `ByPage`',
      'DROP TABLE `UserAccessLog`',
    ])
    expect(steps.at(-1)!.schema.tables.map(({ name }) => name)).toEqual(['Other', 'UserAccessLog_r64'])
    expect(steps[0]!.undoStatements.map(({ sql }) => sql)).toEqual([
      'DROP INDEX `ByPage_r64`',
      'DROP TABLE `UserAccessLog_r64`',
    ])
  })

  it('returns plain data, except for the dialect', () => {
    const { dialect, ...made } = plan(defineSchema([log(16)]), defineSchema([log(64)]))
    expect(dialect).toBe(googlesql)
    expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  })

  it('uses a new table that the schema already declares', () => {
    const { tables, steps } = planReshard(defineSchema([log(16)]), defineSchema([log(16), log(64, 'Log')]), {
      ...DIALECT,
      table: 'UserAccessLog',
      into: { UserAccessLog: 'Log' },
    })
    expect(tables).toEqual([{ from: 'UserAccessLog', to: 'Log' }])
    expect(statementsOf(steps, 'create').at(-1)).toMatch(/^CREATE TABLE `Log` /)
  })

  it.each(['UserAccessLog', 'useraccesslog', 'other'])(
    'rejects %s as the name of the new table, because a table has this name',
    (into) => {
      const [from, to] = [defineSchema([log(16), other]), defineSchema([log(64), other])]
      const options = { ...DIALECT, table: 'UserAccessLog', into: { UserAccessLog: into } }
      expect(() => planReshard(from, to, options)).toThrow(
        expect.objectContaining({
          code: 'RESHARD_REFUSED',
          message: expect.stringMatching(/: the table \S+ exists/),
        }),
      )
    },
  )

  it('moves child tables with their parent, and drops the old child tables first', () => {
    const shop = (shards: number) => {
      const root = log(shards)
      const child = defineTable(
        'Visit',
        (t) => ({ shardId: t.parentKey<bigint>(), userId: t.parentKey<bigint>(), id: t.int64().key() }),
        { interleaveIn: () => root, onDelete: 'cascade' },
      )
      return defineSchema([root, child])
    }
    const { steps } = plan(shop(16), shop(64))
    expect(statementsOf(steps, 'create').at(-1)).toMatch(
      /`Visit_r64`[^]*INTERLEAVE IN PARENT `UserAccessLog_r64`/,
    )
    expect(statementsOf(steps, 'verify')).toEqual([
      'VERIFY UserAccessLog TO UserAccessLog_r64, Visit TO Visit_r64',
    ])
    expect(statementsOf(steps, 'drop')).toEqual([
      'RETIRE UserAccessLog TO UserAccessLog_r64, Visit TO Visit_r64',
      'DROP TABLE `Visit`',
      'DROP TABLE `UserAccessLog`',
    ])
  })

  it('makes change streams watch both tables, and only the new table after the drop', () => {
    const watched = (shards: number) => {
      const table = log(shards)
      return defineSchema([table, other], {
        changeStreams: [
          { name: 'All', watch: 'all' },
          { name: 'Pages', watch: [{ table, columns: ['page'] }, other] },
        ],
      })
    }
    const { steps } = plan(watched(16), watched(64))
    expect(statementsOf(steps, 'create').at(-1)).toBe(
      'ALTER CHANGE STREAM `Pages` SET FOR `UserAccessLog` (`page`), `Other`, `UserAccessLog_r64` (`page`)',
    )
    expect(statementsOf(steps, 'drop')[1]).toBe(
      'ALTER CHANGE STREAM `Pages` SET FOR `Other`, `UserAccessLog_r64` (`page`)',
    )
  })
})

/** The names in the last description, by what they are for; others are those of the model. */
function namesIn(description: string): (what: string) => string | undefined {
  const names = [...description.matchAll(/'([^']+)' for (?:its|the) ([^',;]+?)(?=,| and |;|\.$)/g)]
  return (what) => names.find(([, , each]) => each === what)?.[1]
}

describe('the description of the last step of a plan', () => {
  /** Every kind of object that has a name of its own; names that the model does not give are the default ones. */
  const shop = (
    shards: number,
    [logName, visitName] = ['sales.Log', 'Visit'],
    nameOf: (what: string) => string | undefined = () => undefined,
  ) => {
    const other = defineTable('Other', (t) => ({ id: t.uuidV4() }))
    const sequence = nameOf('sequence of number')
    const Log = defineTable(
      logName!,
      (t) => ({
        shardId: t.shardKey({ shards, of: ['id'] }),
        id: t.int64().key(),
        number: t.bitReversedId({
          key: false,
          from: 'sequence',
          ...(sequence !== undefined && { sequence }),
        }),
        page: t.string({ nullable: true }),
        otherId: t.uuid({ nullable: true }),
        at: t.timestamp(),
      }),
      {
        indexes: [
          { on: ['page'] },
          { name: nameOf('index sales.mine') ?? 'sales.mine', on: ['page', 'id'] },
          {
            name: nameOf('index sales.spread') ?? 'sales.spread',
            on: ['at'],
            shard: { shards: 4, of: ['id'] },
          },
        ],
        checks: [{ name: nameOf('check positive') ?? 'positive', expression: 'id > 0' }],
        foreignKeys: [
          { columns: ['otherId'], references: () => other },
          {
            name: nameOf('foreign key again') ?? 'again',
            columns: ['otherId'],
            references: () => other,
          },
        ],
      } as object,
    )
    const visit = defineTable(
      visitName!,
      (t) => ({
        shardId: t.parentKey<bigint>(),
        id: t.parentKey<bigint>(),
        day: t.int64().key(),
        note: t.string(),
      }),
      {
        interleaveIn: () => Log,
        indexes: [{ on: ['note'] }, { name: nameOf('index ByDay') ?? 'ByDay', on: ['note', 'day'] }],
      } as object,
    )
    return defineSchema([other, Log, visit])
  }

  it.each([googlesql, spannerPostgresql])(
    'says all names with which the model fits the new tables, in $name',
    (dialect) => {
      const { steps } = planReshard(shop(4), shop(8), { dialect, table: 'sales.Log' })
      const { description, schema } = steps.at(-1)!
      const model = shop(8, ['sales.Log_r8', 'Visit_r8'], namesIn(description))
      expect(diffSchemas(schema, model, { dialect })).toMatchObject({ changes: [], refusals: [] })
      expect(diffSchemas(schema, shop(8, ['sales.Log_r8', 'Visit_r8']), { dialect }).changes).not.toEqual([])
      expect(description).toMatch(/^Drops sales\.Log, Visit\. Then change the model of sales\.Log to @Table/)
    },
  )

  it('names the table and the index of one model', () => {
    const named = { indexes: [{ name: 'mine', on: ['page'] }] }
    const { steps } = plan(
      defineSchema([log(4, 'UserAccessLog', named)]),
      defineSchema([log(8, 'UserAccessLog', named)]),
    )
    expect(steps.at(-1)!.description).toBe(
      "Drops UserAccessLog. Then change the model to @Table('UserAccessLog_r8'), with the name 'mine_r8' for its index mine, " +
        'and remove dualWrites.',
    )
  })

  it('gives an index that has no name in the model the default name under the new name of its table', () => {
    const unnamed = (shards: number, name?: string) =>
      defineSchema([log(shards, name, { indexes: [{ on: ['page'] }] })])
    const { steps } = plan(unnamed(4), unnamed(8))
    expect(statementsOf(steps, 'create').at(-1)).toMatch(/^CREATE INDEX `UserAccessLog_r8_page` /)
    const after = unnamed(8, 'UserAccessLog_r8')
    expect(diffSchemas(steps.at(-1)!.schema, after, DIALECT).changes).toEqual([])
  })

  it('gives it another name if an object has that name', () => {
    const taken = (shards: number) =>
      defineSchema([
        log(shards, 'UserAccessLog', { indexes: [{ on: ['page'] }] }),
        defineTable('useraccesslog_R8_page', (t) => ({ id: t.uuidV4() })),
      ])
    const { description } = plan(taken(4), taken(8)).steps.at(-1)!
    expect(description).toContain("the name 'UserAccessLog_page_r8' for its index UserAccessLog_page")
  })

  it('asks to remove the old model if the schema declares the new one', () => {
    const { steps } = planReshard(defineSchema([log(16)]), defineSchema([log(16), log(64, 'Log')]), {
      ...DIALECT,
      table: 'UserAccessLog',
      into: { UserAccessLog: 'Log' },
    })
    expect(steps.at(-1)!.description).toBe(
      'Drops UserAccessLog. Then remove the model of UserAccessLog, and remove dualWrites.',
    )
  })
})

describe('planReshard() with a change that would lose rows', () => {
  const refused = (from: Schema, to: Schema, table = 'T'): string => {
    try {
      plan(from, to, table)
      return 'planned'
    } catch (error) {
      expect(error).toMatchObject({ code: 'RESHARD_REFUSED' })
      return (error as Error).message
    }
  }
  const one = (columns: Columns, options: Options = {}) => defineSchema([defineTable('T', columns, options)])

  it.each<[string, Schema, Schema, RegExp]>([
    [
      'the same key',
      one((t) => ({ id: t.int64().key() })),
      one((t) => ({ id: t.int64().key() })),
      /T: has the same key in the model as in the last migration\. +Change the key, or the shards, in the model first/,
    ],
    [
      'a key in which two rows can become equal',
      one((t) => ({ a: t.int64().key(), b: t.int64().key() })),
      one((t) => ({ a: t.int64().key(), b: t.int64() })),
      /T\.b: is in the key of T and not in that of T_rnew/,
    ],
    [
      'a random shard',
      one((t) => ({ s: t.shardKey({ shards: 2, strategy: 'random' }), id: t.uuidV4() })),
      one((t) => ({ s: t.shardKey({ shards: 4, strategy: 'random' }), id: t.uuidV4() })),
      /T\.s: cannot be computed from the other row/,
    ],
    [
      'a shard that a function of the model computes',
      one((t) => ({ s: t.shardKey({ shards: 4, of: ['id'] }), id: t.int64().key() })),
      one((t) => ({ s: t.shardKey({ shards: 4, of: ['id'], compute: () => 3 }), id: t.int64().key() })),
      /T\.s: is computed by a function of the model in T_r4, which the copy step does not have/,
    ],
    [
      'a new shard with SQL and a function of the model',
      one((t) => ({ id: t.int64().key() })),
      one((t) => ({
        s: t.shardKey({ shards: 4, of: ['id'], expression: 'MOD(id, 4)', compute: () => 3 }),
        id: t.int64().key(),
      })),
      /T\.s: is computed by a function of the model in T_r4, which the copy step does not have/,
    ],
    [
      'a new column',
      one((t) => ({ id: t.int64().key() })),
      one((t) => ({
        s: t.shardKey({ shards: 4, of: ['id'] }),
        id: t.int64().key(),
        more: t.string({ nullable: true }),
      })),
      /T\.more: has no counterpart in T/,
    ],
    [
      'another column type',
      one((t) => ({ id: t.int64().key(), note: t.string({ length: 5 }) })),
      one((t) => ({ s: t.shardKey({ shards: 4, of: ['id'] }), id: t.int64().key(), note: t.string() })),
      /T\.note: is of another type/,
    ],
    [
      'bit-reversed ids that each table counts for itself',
      one((t) => ({ id: t.bitReversedId(), other: t.int64().key() })),
      one((t) => ({ other: t.int64().key(), id: t.bitReversedId() })),
      /T\.id: is counted by each of the two tables for itself/,
    ],
    [
      'a key part that only the database can compute',
      one((t) => ({ id: t.int64().key() })),
      one((t) => ({ reversed: t.int64({ generated: 'BIT_REVERSE(id, TRUE)' }).key(), id: t.int64().key() })),
      /T\.reversed: is a key part that only the database can compute/,
    ],
    [
      'another row deletion policy',
      one((t) => ({ id: t.int64().key(), at: t.timestamp() }), { rowDeletion: { property: 'at', days: 3 } }),
      one((t) => ({ s: t.shardKey({ shards: 4, of: ['id'] }), id: t.int64().key(), at: t.timestamp() })),
      /T: deletes old rows in another way/,
    ],
  ])('rejects %s with RESHARD_REFUSED', (_, from, to, message) => {
    expect(refused(from, to)).toMatch(message)
  })

  it('accepts a change from a function to a hash, and a function shard that is copied unchanged', () => {
    const own = { shards: 4, of: ['id'], compute: () => 3 }
    const hashed = one((t) => ({ s: t.shardKey({ shards: 4, of: ['id'] }), id: t.int64().key() }))
    const computed = one((t) => ({ s: t.shardKey(own), id: t.int64().key() }))
    expect(refused(computed, hashed)).toBe('planned')
    expect(refused(JSON.parse(JSON.stringify(computed)) as Schema, hashed)).toBe('planned')
    const keyed = (primaryKey: readonly string[]) =>
      one(
        (t) => ({
          s: t.shardKey({ ...own, expression: 'MOD(id, 4)' }),
          id: t.int64().key(),
          at: t.timestamp().key(),
        }),
        { primaryKey },
      )
    expect(refused(keyed(['s', 'id', 'at']), keyed(['s', 'at', 'id']))).toBe('planned')
  })

  it('rejects a table that a foreign key refers to or that a view reads', () => {
    const shop = (shards: number) => {
      const root = log(shards)
      const visit = defineTable('Visit', (t) => ({ id: t.uuidV4(), shard: t.int64(), user: t.int64() }), {
        foreignKeys: [{ columns: ['shard', 'user'], references: () => root }],
      })
      return defineSchema([root, visit], {
        views: [{ name: 'Pages', query: 'SELECT l.page FROM useraccesslog AS l' }],
      })
    }
    const message = refused(shop(16), shop(64), 'UserAccessLog')
    expect(message).toMatch(/Visit: refers to UserAccessLog by the foreign key/)
    expect(message).toMatch(/UserAccessLog: is read by the view Pages/)
  })
})

describe('a reshard command', () => {
  it('parseReshardCommand() returns the command that formatReshardCommand() wrote', () => {
    const command = {
      action: 'COPY',
      tables: [
        { from: 'sales.Order', to: 'sales.Order_r4' },
        { from: 'Line', to: 'Line_r4' },
      ],
    } as const
    expect(formatReshardCommand(command)).toBe('COPY sales.Order TO sales.Order_r4, Line TO Line_r4')
    expect(parseReshardCommand(formatReshardCommand(command))).toEqual(command)
    expect(parseReshardCommand('VERIFY a\n  TO b ,\n c TO d')).toMatchObject({
      tables: [{ to: 'b' }, { to: 'd' }],
    })
  })

  it.each(['COPY', 'COPY a b', 'DROP a TO b', 'COPY a TO b,', 'COPY a TO b; DROP TABLE a'])(
    'parseReshardCommand() rejects %s',
    (text) => {
      expect(() => parseReshardCommand(text)).toThrow(/is not a step of a reshard/)
    },
  )
})
