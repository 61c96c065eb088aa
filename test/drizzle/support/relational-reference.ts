import fc from 'fast-check'
import { placeholder, sql, type Column, type DBQueryConfig } from 'drizzle-orm'
import { customers, labels, lines, orders, productLabels, products } from './relational-shop.js'

// Random relational queries over the shop, and their results, computed in memory.

export const tables = { customers, orders, lines, products, productLabels, labels }
export type TableName = keyof typeof tables
export type Row = Readonly<Record<string, bigint | number | string | null>>
export type Data = Readonly<Record<TableName, readonly Row[]>>

interface Link {
  readonly to: TableName
  readonly isOne?: true
  /** From a column of this table to one of that. */
  readonly on: readonly (readonly [string, string])[]
}

const LINKS: Readonly<Record<TableName, Readonly<Record<string, Link>>>> = {
  customers: {
    orders: { to: 'orders', on: [['id', 'customerId']] },
    bringer: { to: 'customers', isOne: true, on: [['broughtBy', 'id']] },
    brought: { to: 'customers', on: [['id', 'broughtBy']] },
  },
  orders: {
    customer: { to: 'customers', isOne: true, on: [['customerId', 'id']] },
    lines: {
      to: 'lines',
      on: [
        ['customerId', 'customerId'],
        ['orderId', 'orderId'],
      ],
    },
  },
  lines: {
    order: {
      to: 'orders',
      isOne: true,
      on: [
        ['customerId', 'customerId'],
        ['orderId', 'orderId'],
      ],
    },
    product: { to: 'products', isOne: true, on: [['productId', 'id']] },
  },
  products: {
    lines: { to: 'lines', on: [['id', 'productId']] },
    labels: { to: 'productLabels', on: [['id', 'productId']] },
  },
  productLabels: {
    product: { to: 'products', isOne: true, on: [['productId', 'id']] },
    label: { to: 'labels', isOne: true, on: [['labelId', 'id']] },
  },
  labels: { products: { to: 'productLabels', on: [['id', 'labelId']] } },
}

const KEYS: Readonly<Record<TableName, readonly string[]>> = {
  customers: ['id'],
  orders: ['customerId', 'orderId'],
  lines: ['customerId', 'orderId', 'lineId'],
  products: ['id'],
  productLabels: ['productId', 'labelId'],
  labels: ['id'],
}

const columnsOf = (table: TableName): Readonly<Record<string, Column>> =>
  Object.fromEntries(Object.entries(tables[table]).filter(([, each]) => 'columnType' in Object(each)))

const isNumeric = (column: Column) => column.dataType !== 'string'

/** A query over one table, as plain data. */
export interface Ask {
  readonly columns: Readonly<Record<string, boolean>> | undefined
  /** A column whose double is an extra. */
  readonly doubled: string | undefined
  readonly where:
    | { readonly column: string; readonly op: 'lt' | 'gte' | 'ne'; readonly value: number }
    | undefined
  readonly order: { readonly column: string; readonly down: boolean } | undefined
  readonly limit: number | undefined
  readonly offset: number | undefined
  readonly with: Readonly<Record<string, Ask>>
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

export function asks(table: TableName, depth: number, isOne = false): fc.Arbitrary<Ask> {
  const names = Object.keys(columnsOf(table))
  const numeric = names.filter((name) => isNumeric(columnsOf(table)[name]!))
  const column = fc.constantFrom(...numeric)
  const links = depth > 0 ? Object.entries(LINKS[table]) : []
  return fc
    .record({
      columns: maybe(
        fc.dictionary(fc.constantFrom(...names), fc.boolean(), { maxKeys: 3, noNullPrototype: true }),
      ),
      doubled: maybe(column),
      where: isOne
        ? fc.constant(undefined)
        : maybe(
            fc.record({
              column,
              op: fc.constantFrom('lt', 'gte', 'ne'),
              value: fc.integer({ min: 0, max: 4 }),
            }),
          ),
      order: maybe(fc.record({ column: fc.constantFrom(...names), down: fc.boolean() })),
      limit: isOne ? fc.constant(undefined) : maybe(fc.integer({ min: 0, max: 3 })),
      offset: isOne ? fc.constant(undefined) : maybe(fc.integer({ min: 0, max: 2 })),
      with: fc.record(
        Object.fromEntries(links.map(([name, link]) => [name, asks(link.to, depth - 1, link.isOne)])),
        { requiredKeys: [], noNullPrototype: true },
      ) as fc.Arbitrary<Record<string, Ask>>,
    })
    .map((ask) => (selectsNothing(ask, names) ? { ...ask, columns: undefined } : ask))
}

const selectsNothing = (ask: Ask, names: readonly string[]) =>
  ask.doubled === undefined && Object.keys(ask.with).length === 0 && chosen(ask, names).length === 0

function chosen({ columns }: Ask, names: readonly string[]): string[] {
  if (!columns) return [...names]
  const wanted = Object.keys(columns).filter((name) => columns[name])
  if (wanted.length > 0 || Object.keys(columns).length === 0) return wanted
  return names.filter((name) => !(name in columns))
}

type Config = DBQueryConfig<'many', true>

/**
 * The query as the options of Drizzle.
 *
 * @param values takes the values of placeholders; undefined: the query has its values in it
 */
export function configOf(
  table: TableName,
  ask: Ask,
  values?: Record<string, unknown>,
  isOne = false,
): Config {
  const { columns, doubled, where, order, limit, offset } = ask
  const bound = <T>(value: T) => {
    if (!values) return value
    const name = `v${Object.keys(values).length}`
    values[name] = value
    return placeholder(name)
  }
  const bounds = {
    ...(limit !== undefined && { limit: bound(limit) }),
    ...(offset !== undefined && { offset: bound(offset) }),
  }
  const many: Config = {
    where:
      where &&
      ((fields, operators) => operators[where.op](fields[where.column]!, bound(valueFor(table, where)))),
    orderBy: (fields, { asc, desc }) => [
      ...(order ? [(order.down ? desc : asc)(fields[order.column]!)] : []),
      ...KEYS[table].map((key) => fields[key]!),
    ],
    ...bounds,
  }
  return {
    ...(columns && { columns }),
    ...(doubled && {
      extras: (fields) => ({ twice: sql`${fields[doubled]} * 2`.mapWith(Number).as('twice') }),
    }),
    ...(!isOne && many),
    with: Object.fromEntries(
      Object.entries(ask.with).map(([name, inner]) => {
        const { to, isOne: one } = LINKS[table][name]!
        return [name, configOf(to, inner, values, one)]
      }),
    ),
  }
}

function valueFor(table: TableName, { column, value }: { column: string; value: number }) {
  return columnsOf(table)[column]!.dataType === 'bigint' ? BigInt(value) : value
}

/** The result of the query. */
export function answer(data: Data, table: TableName, ask: Ask, isOne = false, from = data[table]): unknown[] {
  const { where, order, limit, offset = 0, doubled } = ask
  const by = [...(order ? [order] : []), ...KEYS[table].map((column) => ({ column, down: false }))]
  const rows = from
    .filter((row) => !where || holds(row[where.column]!, where))
    .toSorted((a, b) =>
      by.reduce((found, { column, down }) => found || compare(a[column]!, b[column]!) * (down ? -1 : 1), 0),
    )
    .slice(offset, isOne ? 1 : limit === undefined ? undefined : offset + limit)
  return rows.map((row) => {
    const result: Record<string, unknown> = {}
    for (const name of chosen(ask, Object.keys(columnsOf(table)))) result[name] = row[name]
    if (doubled) result['twice'] = row[doubled] === null ? null : Number(row[doubled]) * 2
    for (const [name, inner] of Object.entries(ask.with)) {
      const { to, on, isOne: one } = LINKS[table][name]!
      const related = data[to].filter((other) => on.every(([a, b]) => row[a] !== null && row[a] === other[b]))
      const found = answer(data, to, inner, one, related)
      result[name] = one ? (found[0] ?? null) : found
    }
    return result
  })
}

type Value = Row[string]

function holds(value: Value, { op, value: other }: NonNullable<Ask['where']>): boolean {
  if (value === null) return false
  const compared = compare(value, typeof value === 'bigint' ? BigInt(other) : other)
  return op === 'lt' ? compared < 0 : op === 'gte' ? compared >= 0 : compared !== 0
}

/** NULL comes before all else. */
function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null) return -1
  return b === null || a > b ? 1 : -1
}

const id = (max: number) => fc.bigInt({ min: 0n, max: BigInt(max) })
const few = fc.integer({ min: 0, max: 4 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const word = fc.constantFrom('', 'a', 'A', 'ä', 'b')

const rowsOf = <T extends Record<string, fc.Arbitrary<Value>>>(
  model: T,
  key: readonly string[],
  maxLength: number,
) =>
  fc.uniqueArray(fc.record<Record<string, Value>>(model), {
    maxLength,
    selector: (row) => key.map((name) => String(row[name])).join(),
  })

export const shops: fc.Arbitrary<Data> = fc
  .record({
    customers: rowsOf(
      { id: id(5), name: word, level: orNull(few), broughtBy: orNull(id(5)) },
      KEYS.customers,
      6,
    ),
    orders: rowsOf({ customerId: id(5), orderId: id(3), status: word, total: few }, KEYS.orders, 14),
    lines: rowsOf(
      {
        customerId: id(5),
        orderId: id(3),
        lineId: id(3),
        productId: orNull(id(4)),
        count: few,
        orders: orNull(id(4)),
      },
      KEYS.lines,
      30,
    ),
    products: rowsOf({ id: id(4), name: word, price: few }, KEYS.products, 5),
    labels: rowsOf({ id: id(3), label: word }, KEYS.labels, 4),
    productLabels: rowsOf({ productId: id(4), labelId: id(3) }, KEYS.productLabels, 8),
  })
  .map((data): Data => {
    const kept = data.orders.filter((order) =>
      data.customers.some((each) => each['id'] === order['customerId']),
    )
    const isKept = (line: Row) => kept.some((each) => KEYS.orders.every((key) => each[key] === line[key]))
    return { ...data, orders: kept, lines: data.lines.filter(isKept) }
  })
