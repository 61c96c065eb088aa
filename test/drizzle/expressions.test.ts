import {
  arrayContained,
  arrayContains,
  arrayOverlaps,
  cosineDistance,
  float64,
  innerProduct,
  int64,
  l2Distance,
  spannerTable,
  string,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import * as drizzle from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { runs, shop } from './support/shop.js'

const items = spannerTable('Items', {
  id: int64('id').primaryKey(),
  labels: string('labels').array(),
  vector: float64('vector').array(),
})

let db: SpannerDatabase

beforeAll(async () => {
  const ddl = [
    'CREATE TABLE Items (id INT64 NOT NULL, labels ARRAY<STRING(MAX)>, vector ARRAY<FLOAT64>) PRIMARY KEY (id)',
  ]
  db = (await shop(ddl))()
  await db.insert(items).values([
    { id: 1n, labels: ['a', 'b'], vector: [1, 0] },
    { id: 2n, labels: ['c'], vector: [0, 1] },
  ])
})

const where = (condition: drizzle.SQL) => db.select({ id: items.id }).from(items).where(condition)
const SELECT = 'select `Items`.`id` from `Items` where '

test('arrayContains, arrayContained and arrayOverlaps compile to array functions and select the matching rows', async () => {
  expect(
    await runs(
      where(arrayContains(items.labels, ['b', 'a'])),
      `${SELECT}array_includes_all(\`Items\`.\`labels\`, @p1)`,
      [['b', 'a']],
    ),
  ).toEqual([{ id: 1n }])
  expect(
    await runs(
      where(arrayContained(items.labels, ['c', 'd'])),
      `${SELECT}array_includes_all(@p1, \`Items\`.\`labels\`)`,
      [['c', 'd']],
    ),
  ).toEqual([{ id: 2n }])
  expect(
    await runs(
      where(arrayOverlaps(items.labels, ['b', 'x'])),
      `${SELECT}array_includes_any(\`Items\`.\`labels\`, @p1)`,
      [['b', 'x']],
    ),
  ).toEqual([{ id: 1n }])
})

test('l2Distance and cosineDistance return distances, and innerProduct returns the negated product', async () => {
  const rows = await db
    .select({
      id: items.id,
      l2: l2Distance(items.vector, [1, 0]),
      cosine: cosineDistance(items.vector, [1, 0]),
      product: innerProduct(items.vector, [1, 0]),
    })
    .from(items)
    .orderBy(l2Distance(items.vector, [1, 0]))
  expect(rows).toEqual([
    { id: 1n, l2: 0, cosine: 0, product: -1 },
    { id: 2n, l2: Math.SQRT2, cosine: 1, product: -0 },
  ])
})

test.each([
  ['arrayContains', drizzle.arrayContains(items.labels, ['a']), 'Import arrayContains'],
  ['arrayContained', drizzle.arrayContained(items.labels, ['a']), 'Import arrayContained'],
  ['arrayOverlaps', drizzle.arrayOverlaps(items.labels, ['a']), 'Import arrayOverlaps'],
  ['ilike', drizzle.ilike(items.labels, 'a'), 'Import ilike'],
  ['notIlike', drizzle.notIlike(items.labels, 'a'), 'Import notIlike'],
  ['l2Distance', drizzle.l2Distance(items.vector, [1]), 'Import l2Distance'],
  ['cosineDistance', drizzle.cosineDistance(items.vector, [1]), 'Import cosineDistance'],
  ['innerProduct', drizzle.innerProduct(items.vector, [1]), 'Import innerProduct'],
  ['l1Distance', drizzle.l1Distance(items.vector, [1]), 'UNNEST'],
])('%s of drizzle-orm is rejected, and the error names the replacement', (_, condition, fix) => {
  expect(() => where(condition).toSQL()).toThrow(fix)
})
