import type { TableSchema } from '@isotherm/core'
import { CommandError, exitCodes } from '../command-error.js'
import {
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { connect } from '../project/connection.js'
import { wholeLiveSchema } from '../project/live-schema.js'
import { openProject, schemaOf, withSuppressions } from '../project/project.js'
import { filterText } from '../terminal/filter-text.js'
import { shown } from '../text.js'

// A query from flags: JSON has no 64-bit integers and no bytes, so they are written as text.

const EXAMPLE = `Write an object in JSON, in single quotes for the shell: --where '{"userId":"7"}'.`

/** @throws {CommandError} for text that is not an object in JSON. */
export function parseWhere(text: string, table: TableSchema): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new CommandError('USAGE', `--where is not JSON: ${(cause as Error).message}.`, {
      fix: EXAMPLE,
      cause,
    })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new CommandError('USAGE', `--where is ${text}, not an object of properties and values.`, {
      fix: EXAMPLE,
    })
  }
  return revived(parsed, table) as object
}

function revived(filter: unknown, table: TableSchema): unknown {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([name, condition]: [string, unknown]) => {
      if (name === 'NOT') return [name, revived(condition, table)]
      if (Array.isArray(condition) && (name === 'AND' || name === 'OR'))
        return [name, condition.map((each) => revived(each, table))]
      const column = table.columns.find(({ property }) => property === name)
      return [name, column ? operands(condition, column) : condition]
    }),
  )
}

type Column = TableSchema['columns'][number]

function operands(condition: unknown, column: Column): unknown {
  if (Array.isArray(condition)) return condition.map((each) => operands(each, column))
  if (typeof condition !== 'object' || condition === null) return value(condition, column)
  return Object.fromEntries(
    Object.entries(condition).map(([operator, operand]: [string, unknown]) => [
      operator,
      operands(operand, column),
    ]),
  )
}

function value(literal: unknown, { type }: Column): unknown {
  switch (type.kind) {
    case 'int64':
      if (typeof literal === 'number' && Number.isSafeInteger(literal)) return integer(String(literal), type)
      return typeof literal === 'string' && /^-?\d+$/.test(literal) ? integer(literal, type) : literal
    case 'bytes':
      return typeof literal === 'string' ? Buffer.from(literal, 'base64') : literal
    default:
      return literal
  }
}

function integer(text: string, type: { readonly as?: string }): bigint | number {
  return type.as === 'number' ? Number(text) : BigInt(text)
}

interface OrderFlag {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/**
 * `userId` and `lastAccess:desc`, in several flags or separated by commas.
 *
 * @throws {CommandError} for an invalid direction.
 */
export function parseOrder(flags: readonly string[]): OrderFlag[] {
  return flags
    .flatMap((flag) => flag.split(','))
    .map((term) => {
      const [, property = term, direction = 'asc'] = /^(.*?)(?::(.*))?$/.exec(term) ?? []
      if (direction === 'asc' || direction === 'desc') return { property, direction }
      throw new CommandError('USAGE', `--order-by ${term} has the direction ${direction}.`, {
        fix: `Write ${property}:asc or ${property}:desc.`,
      })
    })
}

interface ExplainOptions extends ProjectOptions {
  readonly where?: string
  readonly orderBy?: readonly string[]
  readonly limit?: string
  readonly live?: boolean
}

export const explain = defineCommand<ExplainOptions>({
  name: 'explain',
  summary: 'show the plan of a fan-out query',
  description:
    'Plans a query over all shards of a table and prints the plan: which shards are read, by which calls, and why. Reads no rows. ' +
    'The database is asked for its dialect and for the costs of its calls.',
  arguments: [{ name: '<table>', description: 'the name of the table in the database' }],
  options: [
    {
      flags: '--where <json>',
      description:
        'the filter, as for where() but in JSON; write 64-bit integers, timestamps and bytes (base64) as strings',
    },
    {
      flags: '--order-by <term>',
      description: 'a property; with :desc in descending order',
      repeatable: true,
    },
    { flags: '--limit <rows>', description: 'the maximum number of rows' },
    { flags: '--live', description: 'use the tables of the database, not the models' },
    schemaOption,
    tsconfigOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm explain UserAccessLog', what: 'all rows' },
    {
      command: 'isotherm explain UserAccessLog --order-by lastAccess:desc --limit 50',
      what: 'the newest 50',
    },
    { command: `isotherm explain UserAccessLog --where '{"userId":"7"}'`, what: 'the rows of one user' },
  ],
  async run(context) {
    const { options, output } = context
    const [table = ''] = context.args
    if (options.live === true && options.schema !== undefined) {
      throw new CommandError('USAGE', '--live and --schema cannot be given together.', {
        fix: 'Leave one of them out.',
      })
    }
    const project = await openProject(context)
    const limit = parseLimit(options.limit)
    const { openDatabase } = await import('@isotherm/core')
    const declared = options.live === true ? undefined : await schemaOf(project)
    await using connection = await connect(project, 'refuse')
    const { driver } = connection
    const schema = declared ?? withSuppressions(await wholeLiveSchema(connection, output), project)
    const db = openDatabase({ driver, schema })
    const found = schema.tables.find(({ name }) => name === table)
    if (!found) {
      const { suggestion } = await import('../text.js')
      throw new CommandError('USAGE', `The ${declared ? 'models have' : 'database has'} no table ${table}.`, {
        fix: suggestion(
          table,
          schema.tables.map(({ name }) => name),
        ),
      })
    }
    // Without a model, tables have the names of the database.
    let query = db.fanOut(found.name as never)
    if (options.where !== undefined) query = query.where(parseWhere(options.where, found))
    for (const { property, direction } of parseOrder(options.orderBy ?? []))
      query = query.orderBy(property as never, direction)
    if (limit !== undefined) query = query.limit(limit)
    const plan = query.explain()
    const text = String(plan)
    output.line(
      plan.filter ? text.replace(JSON.stringify(plan.filter), () => filterText(plan.filter!)) : text,
    )
    output.result({ plan })
    return exitCodes.ok
  },
})

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw new CommandError('USAGE', `--limit is ${shown(text)}.`, {
    fix: 'Give a whole number above 0.',
  })
}
