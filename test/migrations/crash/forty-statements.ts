import type { SqlDialect } from '@isotherm/core'
import type { MigrationStatement } from '@isotherm/migrations'

/** Tables whose rows are the result of the migration, in the order of their keys. */
export const DATA = ['customer', 'account', 'purchase', 'purchase_line', 'product', 'journal'] as const

/** A migration of 40 statements: tables, interleaving, indexes, sequences, checks, views, backfills and rows. */
export function fortyStatements(dialect: SqlDialect): readonly MigrationStatement[] {
  const isPostgreSql = dialect.name !== 'googlesql'
  const [integer, text] = isPostgreSql ? ['bigint', 'varchar(100)'] : ['INT64', 'STRING(100)']
  const ddl = (sql: string): MigrationStatement => ({ kind: 'ddl', sql })
  const once = (sql: string): MigrationStatement => ({ kind: 'transaction', sql })
  const backfill = (sql: string): MigrationStatement => ({ kind: 'partitioned', sql })
  const table = (
    name: string,
    key: readonly string[],
    columns: readonly string[],
    parent = '',
  ): MigrationStatement => {
    const all = [...key.map((column) => `${column} ${integer} NOT NULL`), ...columns].join(', ')
    const within = parent && `${isPostgreSql ? ' ' : ', '}INTERLEAVE IN PARENT ${parent} ON DELETE CASCADE`
    const primary = `PRIMARY KEY (${key.join(', ')})`
    return ddl(
      isPostgreSql
        ? `CREATE TABLE ${name} (${all}, ${primary})${within}`
        : `CREATE TABLE ${name} (${all}) ${primary}${within}`,
    )
  }
  const sequence = (name: string): MigrationStatement =>
    ddl(
      isPostgreSql
        ? `CREATE SEQUENCE ${name} BIT_REVERSED_POSITIVE`
        : `CREATE SEQUENCE ${name} OPTIONS (sequence_kind = 'bit_reversed_positive')`,
    )
  const column = (of: string, name: string, type: string): MigrationStatement =>
    ddl(`ALTER TABLE ${of} ADD COLUMN ${name} ${type}`)
  const index = (name: string, on: string): MigrationStatement => ddl(`CREATE INDEX ${name} ON ${on}`)
  const view = (name: string, query: string): MigrationStatement =>
    ddl(`CREATE VIEW ${name} SQL SECURITY INVOKER AS ${query}`)

  return [
    sequence('purchase_numbers'),
    table('customer', ['id'], [`name ${text}`, `visits ${integer} NOT NULL`]),
    index('customer_by_name', 'customer (name)'),
    table('account', ['id', 'number'], [`balance ${integer}`], 'customer'),
    index('account_by_balance', 'account (balance)'),
    table('purchase', ['id', 'serial'], [`placed ${integer}`], 'customer'),
    table('purchase_line', ['id', 'serial', 'line'], [`amount ${integer}`], 'purchase'),
    index('line_by_amount', 'purchase_line (amount)'),
    table('product', ['id'], [`label ${text}`]),
    ddl('CREATE UNIQUE INDEX product_by_label ON product (label)'),
    table('journal', ['entry'], [`note ${text}`, `hits ${integer}`]),
    once(`INSERT INTO customer (id, name, visits) VALUES ${rowsOf(20, (n) => `(${n}, 'Customer ${n}', 0)`)}`),
    once(`INSERT INTO product (id, label) VALUES ${rowsOf(10, (n) => `(${n}, 'Product ${n}')`)}`),
    once('INSERT INTO account (id, number, balance) SELECT id, 1, id * 10 FROM customer'),
    column('customer', 'standing', integer!),
    column('customer', 'region', text!),
    backfill('UPDATE customer SET standing = 1 WHERE standing IS NULL'),
    ddl('ALTER TABLE customer ADD CONSTRAINT standing_positive CHECK (standing > 0)'),
    index('customer_by_standing', 'customer (standing)'),
    once('UPDATE customer SET visits = visits + 1 WHERE id <= 10'),
    once('UPDATE account SET balance = balance * 2 WHERE number = 1'),
    view('good_customer', 'SELECT customer.id, customer.name FROM customer WHERE customer.standing > 0'),
    once('INSERT INTO purchase (id, serial, placed) SELECT id, 7, visits FROM customer'),
    once('INSERT INTO purchase_line (id, serial, line, amount) SELECT id, serial, 1, 100 FROM purchase'),
    backfill("UPDATE customer SET region = 'north' WHERE region IS NULL"),
    index('customer_by_region', 'customer (region)'),
    ddl('DROP INDEX customer_by_name'),
    column('product', 'price', integer!),
    column('product', 'stock', integer!),
    backfill('UPDATE product SET price = id * 3 WHERE price IS NULL'),
    ddl('ALTER TABLE product ADD CONSTRAINT price_positive CHECK (price > 0)'),
    index('product_by_price', 'product (price)'),
    view('dear_product', 'SELECT product.id, product.label FROM product WHERE product.price > 15'),
    sequence('journal_numbers'),
    once("INSERT INTO journal (entry, note, hits) VALUES (1, 'counted', 0)"),
    once('UPDATE journal SET hits = hits + 1 WHERE entry = 1'),
    once('UPDATE purchase_line SET amount = amount + id WHERE line = 1'),
    backfill('DELETE FROM purchase_line WHERE amount > 115'),
    ddl('DROP INDEX line_by_amount'),
    index('line_by_line', 'purchase_line (line)'),
  ]
}

function rowsOf(count: number, row: (n: number) => string): string {
  return Array.from({ length: count }, (_, at) => row(at + 1)).join(', ')
}
