import {
  check,
  workload,
  foreignKey,
  getTableConfig,
  index,
  int64,
  interleaveIn,
  suppress,
  parentKey,
  primaryKey,
  rowDeletionPolicy,
  spannerSchema,
  spannerTable,
  string,
  timestamp,
  unique,
  uniqueIndex,
} from '@isotherm/drizzle-adapter'
import { desc, gt } from 'drizzle-orm'
import { expect, it } from 'vitest'

const parents = spannerTable('Parent', { id: int64().primaryKey() })
const children = spannerSchema('s').table(
  'Child',
  {
    id: parentKey(parents.id),
    line: int64().notNull(),
    name: string().unique('one_name'),
    parentId: int64().references(() => parents.id, { onDelete: 'cascade' }),
    at: timestamp(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.line.desc()] }),
    interleaveIn(parents, { onDelete: 'cascade' }),
    index('by_name').on(t.name, desc(t.at)).storing(t.parentId).whereNotNull(t.name),
    uniqueIndex()
      .on(t.at.desc(), t.name.asc())
      .nullFiltered()
      .shard({ shards: 4, of: [t.name] }),
    unique().on(t.name, t.at),
    check('positive', gt(t.line, 0n)),
    foreignKey({ name: 'own', columns: [t.parentId], foreignColumns: [parents.id] }).notEnforced(),
    rowDeletionPolicy(t.at, { days: 7 }),
    workload({ writesPerSecond: 5 }),
    suppress({ rule: 'spanner/wide-column-in-row-tree', reason: 'small' }),
  ],
)

it('getTableConfig() returns all columns, keys, indexes, constraints and options of a table', () => {
  const config = getTableConfig(children)
  expect(config).toMatchObject({ name: 'Child', schema: 's', workload: { writesPerSecond: 5 } })
  expect(config.columns.map(({ name }) => name)).toEqual(['id', 'line', 'name', 'parentId', 'at'])
  expect(config.primaryKeys[0]!.parts.map(({ column, order }) => [column.name, order])).toEqual([
    ['id', 'asc'],
    ['line', 'desc'],
  ])
  expect(config.primaryKeys[0]!.columns).toEqual([children.id, children.line])
  const [byName, byTime] = config.indexes.map((each) => each.config)
  expect(byName).toMatchObject({ name: 'by_name', unique: false, table: children, nullFiltered: false })
  expect(byName!.columns.map(({ column, order }) => [column, order])).toEqual([
    [children.name, 'asc'],
    [children.at, 'desc'],
  ])
  expect([byName!.storing, byName!.notNull]).toEqual([[children.parentId], [children.name]])
  expect(byTime!.columns).toEqual([
    { column: children.at, order: 'desc' },
    { column: children.name, order: 'asc' },
  ])
  expect(byTime).toMatchObject({ name: undefined, unique: true, nullFiltered: true, shard: { shards: 4 } })
  expect(config.uniqueConstraints.map((each) => each.getName())).toEqual(['Child_name_at_unique'])
  expect(children.name).toMatchObject({ isUnique: true, uniqueName: 'one_name' })
  expect(config.checks.map(({ name }) => name)).toEqual(['positive'])
  expect(
    config.foreignKeys.map((key) => [
      key.getName(),
      key.onDelete,
      key.enforced,
      key.reference().foreignTable,
    ]),
  ).toEqual([
    ['s_Child_parentId_fk', 'cascade', true, parents],
    ['own', 'no action', false, parents],
  ])
  expect(config.interleaving).toMatchObject({ parent: parents, onDelete: 'cascade', requireParent: true })
  expect(config.rowDeletion).toMatchObject({ column: children.at, days: 7 })
  expect(config.suppressions).toMatchObject([{ rule: 'spanner/wide-column-in-row-tree', on: undefined }])
})

it('getTableConfig() returns empty lists and undefined for what a table does not declare', () => {
  const { columns, ...rest } = getTableConfig(parents)
  expect(columns).toEqual([parents.id])
  expect(rest).toEqual({
    name: 'Parent',
    schema: undefined,
    indexes: [],
    foreignKeys: [],
    checks: [],
    primaryKeys: [],
    uniqueConstraints: [],
    interleaving: undefined,
    rowDeletion: undefined,
    workload: undefined,
    suppressions: [],
  })
})
