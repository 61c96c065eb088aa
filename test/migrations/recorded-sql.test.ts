import {
  IsothermError,
  type Schema,
  type SqlDialect,
  defineSchema,
  defineTable,
  introspect,
  sql,
} from '@isotherm/core'
import {
  diffSchemas,
  migrate,
  planMigration,
  recordApplied,
  recordSql,
  recordedSql,
} from '@isotherm/migrations'
import { sqlFor } from '@isotherm/core/tools'
import { spanner, spannerPostgresql } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { isDeep, runsInGate, someCases } from '../support/runs.js'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { type Changed, GOOGLESQL, POSTGRESQL } from './expressions.js'
import { ddlOf } from './planned.js'
import { migrationOf } from './support/migrations.js'

// A database that rewrites expressions agrees with the models that created it, and with no other models.

/** A separate database, which is changed to one schema after the other. */
async function openDatabase(dialect: SqlDialect) {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: ddlOf(defineSchema([]), dialect) })
  const driver = spanner(client)
  const ignore = (table: string) => table.startsWith('isotherm_')
  const options = async () => ({
    dialect,
    ignore,
    live: true,
    recorded: await recordedSql(driver, { dialect }),
  })
  // Reading the catalogue is the most expensive part: it is read once after each change.
  let read: Promise<Schema> | undefined
  const liveSchema = () => (read ??= introspect({ driver, dialect }))
  const changing = async (change: () => Promise<unknown>): Promise<void> => {
    try {
      await change()
    } finally {
      read = undefined
    }
  }
  const applyDdl = (statements: readonly string[]) => changing(() => driver.applyDdl(statements))
  return {
    /** An emulator holds at most a hundred databases. */
    drop: () => client.delete(),
    driver,
    liveSchema,
    changing,
    applyDdl,
    async diff(to: Schema) {
      const { changes, refusals } = diffSchemas(await liveSchema(), to, await options())
      expect(refusals).toEqual([])
      return changes
    },
    /** @returns how many texts were recorded */
    async bringTo(to: Schema): Promise<number> {
      const statements = planMigration(await liveSchema(), to, await options())
      const ran = statements.map(({ sql: text }) => text)
      await applyDdl(ran)
      return recordSql(driver, to, { dialect, statements: ran })
    },
  }
}

function checked(dialect: SqlDialect, expressions: readonly string[]): Schema {
  const isOwn = dialect.name === 'googlesql'
  return defineSchema([
    defineTable(
      'C',
      (t) => ({
        id: t.uuidV4(),
        a: t.int64({ nullable: true }),
        b: t.int64({ nullable: true }),
        f: t.float64({ nullable: true }),
        g: t.float64({ nullable: true }),
        s: t.string({ nullable: true }),
        t: t.string({ nullable: true }),
        d: t.date({ nullable: true }),
        at: t.timestamp({ nullable: true }),
        n: t.numeric({ nullable: true }),
        y: t.bytes({ nullable: true }),
        o: t.bool({ nullable: true }),
        ...(!isOwn && {
          j: t.json({ nullable: true }),
          r: t.array({ kind: 'int64' }, { nullable: true }),
          q: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
        }),
      }),
      { checks: expressions.map((expression, at) => ({ name: `k${at}`, expression })) },
    ),
  ])
}

/** In `pnpm test` the dialect that rewrites more of them. */
const tested = isDeep ? dialects : [spannerPostgresql]

describe.each(tested)('expressions that the database rewrites, in $name', (dialect) => {
  const documented: readonly Changed[] = dialect.name === 'googlesql' ? GOOGLESQL : POSTGRESQL
  // An older version reported the first expressions as differences, or missed their changes.
  const all = [...documented.slice(0, 8), ...someCases(documented.slice(8))]

  test('each documented expression agrees with its model after creation, and each changed expression is found', async () => {
    const { diff, bringTo } = await openDatabase(dialect)
    const [first, second] = [0, 1].map((at) =>
      checked(
        dialect,
        all.map((pair) => pair[at as 0 | 1]),
      ),
    ) as [Schema, Schema]
    await bringTo(first)
    expect(await diff(first)).toEqual([])
    const changes = await diff(second)
    expect(changes.map(({ kind }) => kind)).toEqual([
      ...all.map(() => 'drop-check'),
      ...all.map(() => 'add-check'),
    ])
    await bringTo(second)
    expect(await diff(second)).toEqual([])
    expect(await diff(first)).toHaveLength(2 * all.length)
  })

  test('defaults, generated columns and views agree with their models after creation, and changes are found', async () => {
    const { diff, bringTo } = await openDatabase(dialect)
    const [c, name, cents, bytes] =
      dialect.name === 'googlesql'
        ? ['`C`', '`name`', '`cents`', "b'\\xDE\\xAD'"]
        : ['"C"', '"name"', '"cents"', "'\\xDEADBEEF'::bytea"]
    const withTexts = ({
      more = '',
      last = '1',
    }: {
      readonly more?: string
      readonly last?: string
    }): Schema =>
      defineSchema(
        [
          defineTable('C', (t) => ({
            id: t.uuidV4(),
            name: t.string({ default: sql(`lower('A${more}')`) }),
            cents: t.int64({ default: sql(`1 + 2 * 3 - ${last}`) }),
            data: t.bytes({ default: sql(bytes!) }),
            shown: t.string({ nullable: true, generated: `upper(${name}) || 'x${more}'`, stored: true }),
          })),
        ],
        {
          views: [
            { name: 'few', query: `select c.id from ${c} c where c.${cents} > ${last} and c.${cents} < 9` },
            { name: 'many', query: `select * from ${c} c where not (c.${cents} in (1, ${last}))` },
          ].map(({ name: view, query }) => ({ name: view, query: query.replace('*', `c.${name}`) })),
        },
      )
    await bringTo(withTexts({}))
    expect(await diff(withTexts({}))).toEqual([])
    const other = withTexts({ last: '(1)' })
    const changed = (await diff(other)).map(({ kind }) => kind)
    expect(changed).toEqual(['alter-column', 'replace-view', 'replace-view'])
    await bringTo(other)
    expect(await diff(other)).toEqual([])
  })

  test('a check that was changed by hand is found, also after another check was recorded', async () => {
    const { driver, diff, bringTo, applyDdl } = await openDatabase(dialect)
    const quote = dialect.name === 'googlesql' ? '`' : '"'
    const models = (...more: string[]) => checked(dialect, ['a > 0 and a < 10 or s is null', ...more])
    await bringTo(models())
    await recordSql(driver, models(), { dialect })
    await applyDdl([
      `ALTER TABLE ${quote}C${quote} DROP CONSTRAINT ${quote}k0${quote}`,
      `ALTER TABLE ${quote}C${quote} ADD CONSTRAINT ${quote}k0${quote} CHECK (a > 0 and (a < 10 or s is null))`,
    ])
    expect((await diff(models())).map(({ kind }) => kind)).toEqual(['drop-check', 'add-check'])
    await applyDdl([
      `ALTER TABLE ${quote}C${quote} ADD CONSTRAINT ${quote}k1${quote} CHECK (b is null or b between 1 and 2)`,
    ])
    await recordSql(driver, models('b is null or b between 1 and 2'), { dialect })
    expect((await diff(models('b is null or b between 1 and 2'))).map(({ kind }) => kind)).toEqual([
      'drop-check',
      'add-check',
    ])
    await bringTo(models())
    expect(await diff(models())).toEqual([])
  })

  test.each([
    ['migrate', migrate],
    ['recordApplied', recordApplied],
  ])(
    'a check that %s applied agrees with its model, and a changed check is found and applied',
    async (_, apply) => {
      const { driver, diff, bringTo, applyDdl, changing } = await openDatabase(dialect)
      const table = dialect.name === 'googlesql' ? '`C`' : '"C"'
      const [loose, strict] = ['a > 0 and a < 10 or s is null', 'a > 0 and (a < 10 or s is null)'].map(
        (each) => checked(dialect, [each]),
      ) as [Schema, Schema]
      const statements = planMigration(defineSchema([]), loose, { dialect })
      if (apply === recordApplied) await applyDdl(statements.map(({ sql: text }) => text))
      const snapshot = {
        version: 1,
        dialect: dialect.name,
        id: 'one',
        previous: null,
        schema: loose,
      } as const
      await changing(() => apply(driver, [{ ...migrationOf(1, 'loose', statements), snapshot }], { dialect }))
      expect(await diff(loose)).toEqual([])

      const run = (text: string) =>
        driver.atomic.run((context) =>
          context.execute([{ text: text.replaceAll('{C}', table), parameters: [] }]),
        )
      expect((await diff(strict)).map(({ kind }) => kind)).toEqual(['drop-check', 'add-check'])
      await run("INSERT INTO {C} (id, a) VALUES ('x', -5)")
      await run('DELETE FROM {C} WHERE true')
      await bringTo(strict)
      await expect(run("INSERT INTO {C} (id, a) VALUES ('y', -5)")).rejects.toThrow('k0')
      expect(await diff(strict)).toEqual([])
    },
  )

  test.each([
    ['a warning', 'a call failed', new Error('not read')],
    ['a warning', 'no schema models an object', new IsothermError('UNSUPPORTED_OBJECT', 'not read')],
    // There is no cause to fix.
    ['no warning', 'the driver reads no schema', new IsothermError('UNSUPPORTED_FEATURE', 'not read')],
  ])(
    'migrate() gives %s when expressions were not recorded since %s, and recordApplied() records them',
    async (gives, _, error) => {
      const { driver, diff, changing } = await openDatabase(dialect)
      const models = checked(dialect, ['a > 0 and a < 10 or s is null'])
      const snapshot = {
        version: 1,
        dialect: dialect.name,
        id: 'one',
        previous: null,
        schema: models,
      } as const
      const migrations = [
        { ...migrationOf(1, 'one', planMigration(defineSchema([]), models, { dialect })), snapshot },
      ]
      const unread = new Proxy(driver, {
        get: (target, name) =>
          name === 'snapshot' ? () => Promise.reject(error) : Reflect.get(target, name, target),
      })
      const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
      await changing(() => migrate(unread, migrations, { dialect }))
      const warnings = warn.mock.calls.map(([text]) => String(text))
      warn.mockRestore()
      // GoogleSQL keeps the wording of models, so there is nothing to record.
      const [warned, drift] =
        dialect.name === 'googlesql'
          ? [[], []]
          : [gives === 'a warning' ? [true] : [], ['drop-check', 'add-check'] as const]
      expect(warnings.map((text) => /could not be recorded: not read .* --mark-applied/.test(text))).toEqual(
        warned,
      )
      expect((await diff(models)).map(({ kind }) => kind)).toEqual(drift)
      await changing(() => recordApplied(driver, migrations, { dialect }))
      expect(await diff(models)).toEqual([])
    },
  )

  test('a record is renewed when a migration recreates the same check on a column of another type', async () => {
    const { driver, diff, bringTo, applyDdl } = await openDatabase(dialect)
    const typed = (isText: boolean) =>
      defineSchema([
        defineTable(
          'C',
          (t) => ({
            id: t.uuidV4(),
            ...(isText ? { s: t.string({ nullable: true }) } : { s: t.int64({ nullable: true }) }),
          }),
          { checks: [{ name: 'k0', expression: 'length(CAST(s AS text)) > 1'.replace('text', castOf) }] },
        ),
      ])
    const castOf = dialect.name === 'googlesql' ? 'STRING' : 'varchar'
    await bringTo(typed(false))
    const statements = [
      'ALTER TABLE {C} DROP CONSTRAINT k0',
      'ALTER TABLE {C} DROP COLUMN s',
      `ALTER TABLE {C} ADD COLUMN s ${dialect.name === 'googlesql' ? 'STRING(MAX)' : 'varchar'}`,
      `ALTER TABLE {C} ADD CONSTRAINT k0 CHECK (length(CAST(s AS ${castOf})) > 1)`,
    ].map((text) => text.replace('{C}', dialect.name === 'googlesql' ? '`C`' : '"C"'))
    await applyDdl(statements)
    await recordSql(driver, typed(true), { dialect, statements })
    expect(await diff(typed(true))).toEqual([])
  })

  test('models in the wording of the catalogue agree, as do models in the recorded wording', async () => {
    const { diff, bringTo, liveSchema } = await openDatabase(dialect)
    const made = checked(dialect, ['a not between 1 and 5', 'b in (1, 2)'])
    await bringTo(made)
    const pulled = await liveSchema()
    expect(await diff({ ...pulled, tables: pulled.tables.filter(({ name }) => name === 'C') })).toEqual([])
    expect(await diff(made)).toEqual([])
  })

  test('the database after an edited migration differs from the snapshot of the migration', async () => {
    const { driver, diff, changing } = await openDatabase(dialect)
    const migrationTo = (n: number, from: Schema, to: Schema, edit: (text: string) => string[]) => ({
      ...migrationOf(
        n,
        `step${n}`,
        planMigration(from, to, { dialect }).flatMap(({ kind, sql: text }) =>
          edit(text).map((edited) => ({ kind, sql: edited })),
        ),
      ),
      snapshot: {
        version: 1,
        dialect: dialect.name,
        id: `${n}`,
        previous: n === 1 ? null : `${n - 1}`,
        schema: to,
      } as const,
    })
    const [first, second] = [["s > 'b'"], ['a > 2', 'b in (1, 2)']].map((each) => checked(dialect, each)) as [
      Schema,
      Schema,
    ]
    const one = migrationTo(1, defineSchema([]), first, (text) => [text.replace("'b'", "'B'")])
    await changing(() => migrate(driver, [one], { dialect }))
    expect((await diff(first)).map(({ kind }) => kind)).toEqual(['drop-check', 'add-check'])
    // The statements that change the first check are removed.
    const two = migrationTo(2, first, second, (text) => (text.includes('k0') ? [] : [text]))
    await changing(() => migrate(driver, [one, two], { dialect }))
    expect(await diff(second)).toMatchObject([
      { kind: 'drop-check', name: 'k0' },
      { kind: 'add-check', check: { name: 'k0' } },
    ])
  })

  test('agree with models in the wording of the catalogue when they were not recorded', async () => {
    const { diff, bringTo, applyDdl, liveSchema } = await openDatabase(dialect)
    const made = checked(dialect, ['a not between 1 and 5', 'b > 0 or (a > 0 and s is null)'])
    await applyDdl(ddlOf(made, dialect))
    const live = await liveSchema()
    expect(await diff(live)).toEqual([])
    // Whether models in another wording have the same meaning is unknown: they are created again, once.
    await bringTo(made)
    expect(await diff(made)).toEqual([])
  })

  test('random expressions agree with their models after creation, and other expressions are found', async () => {
    await fc.assert(
      fc.asyncProperty(manyExpressions, async (pairs) => {
        const { diff, bringTo, drop, liveSchema } = await openDatabase(dialect)
        const [one, other] = [0, 1].map((at) =>
          checked(
            dialect,
            pairs.map((pair) => pair[at as 0 | 1]),
          ),
        )
        await bringTo(one!)
        expect(await diff(one!)).toEqual([])
        // A model in the wording of the catalogue agrees: the catalogue stores `s is not null` as `(s is not null)`.
        const live = (await liveSchema()).tables.find(({ name }) => name === 'C')!.checks
        const different = pairs.flatMap(([, text], at) => {
          const catalogues = sqlFor(live.find(({ name }) => name === `k${at}`)!.expression, dialect.name)!
          return words(text).toLowerCase() === words(catalogues).toLowerCase() ? [] : `k${at}`
        })
        expect(different.length).toBeGreaterThan(pairs.length / 2)
        const seen = (await diff(other!)).flatMap((change) =>
          change.kind === 'add-check' ? change.check.name : [],
        )
        expect(seen).toEqual(different)
        await drop()
      }),
      { numRuns: runsInGate(100, 1) },
    )
  })
})

/** Conditions over integers and strings, as texts with or without unnecessary parentheses. */
const { condition } = fc.letrec<{ condition: string; number: string }>((tie) => {
  const number = tie('number')
  const inner = tie('condition')
  const column = fc.constantFrom('a', 'b')
  const text = fc.constantFrom('s', 't')
  return {
    number: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      column,
      fc.integer({ min: -9, max: 9 }).map(String),
      fc
        .tuple(number, fc.constantFrom('+', '-', '*'), number)
        .map(([one, sign, two]) => `(${one}) ${sign} (${two})`),
      fc.tuple(column, fc.constantFrom('+', '-', '*'), column).map((parts) => parts.join(' ')),
      number.map((each) => `abs(${each})`),
      fc.tuple(number, number).map(([one, two]) => `coalesce(${one}, ${two})`),
      fc
        .tuple(inner, number, number)
        .map(([when, one, two]) => `case when ${when} then ${one} else ${two} end`),
    ),
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(number, fc.constantFrom('=', '<>', '<', '>='), number).map((parts) => parts.join(' ')),
      fc.tuple(column, number, number).map(([one, low, high]) => `${one} between ${low} and ${high}`),
      fc.tuple(column, number, number).map(([one, low, high]) => `${one} not between ${low} and ${high}`),
      fc.tuple(column, number).map(([one, each]) => `${one} not in (1, ${each})`),
      fc.tuple(text, text).map(([one, other]) => `lower(${one}) = upper(${other}) or ${one} like 'x%'`),
      text.map((each) => `${each} is not null`),
      fc.tuple(inner, fc.constantFrom('and', 'or'), inner).map(([one, word, two]) => `${one} ${word} ${two}`),
      fc
        .tuple(inner, fc.constantFrom('and', 'or'), inner)
        .map(([one, word, two]) => `(${one}) ${word} (${two})`),
      inner.map((each) => `not (${each})`),
      inner.map((each) => `(${each})`),
    ),
  }
})

const words = (expression: string): string => expression.split(/\s+|(?=[()])|(?<=[()])/u).join(' ')

/** The engines refuse a check without a column. */
const check = condition.filter((expression) => /\b[abst]\b/.test(expression))

const manyExpressions = fc.array(
  fc.tuple(check, check).filter(([one, other]) => words(one) !== words(other)),
  { minLength: 20, maxLength: 20 },
)
