import { CommandError } from '../command-error.js'
import { defineCommand } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { connect } from '../project/connection.js'
import { wholeLiveSchema } from '../project/live-schema.js'
import { openProject, schemaOf, withExceptions } from '../project/project.js'
import { parseOrder, parseWhere } from '../query-flags.js'
import { connectionOptions, schemaOption, type ProjectOptions } from '../shared-options.js'
import { filterText } from '../terminal/filter-text.js'

interface ExplainOptions extends ProjectOptions {
  readonly where?: string
  readonly orderBy?: readonly string[]
  readonly limit?: string
  readonly live?: boolean
}

export const explain = defineCommand<ExplainOptions>({
  name: 'explain',
  summary: 'show how a fan-out over a table would be read',
  description:
    'Plans a query over all shards of a table and prints the plan: which shards are read and by which calls, and why in that way. ' +
    'Reads no rows. The database is asked for its dialect, and tells what calls cost there.',
  arguments: [{ name: '<table>', description: 'its name in the database' }],
  options: [
    {
      flags: '--where <json>',
      description: 'the filter, as where takes it; 64-bit integers, timestamps and bytes (base64) as text',
    },
    { flags: '--order-by <term>', description: 'a property, with :desc to descend', repeatable: true },
    { flags: '--limit <rows>', description: 'how many rows' },
    { flags: '--live', description: 'the tables of the database rather than the models' },
    schemaOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm explain UserAccessLog', what: 'all rows' },
    {
      command: 'isotherm explain UserAccessLog --order-by lastAccess:desc --limit 50',
      what: 'the newest 50',
    },
    { command: `isotherm explain UserAccessLog --where '{"userId":"7"}'`, what: 'those of one user' },
  ],
  async run(context) {
    const { options, output } = context
    const [table = ''] = context.args
    const project = await openProject(context)
    const limit = parseLimit(options.limit)
    const { openDatabase } = await import('@isotherm/core')
    const declared = options.live === true ? undefined : await schemaOf(project)
    await using connection = await connect(project)
    const { driver } = connection
    const schema = declared ?? withExceptions(await wholeLiveSchema(driver), project)
    const db = openDatabase({ driver, schema, severity: project.settings.lint.severity })
    const found = schema.tables.find(({ name }) => name === table)
    if (!found) {
      const { suggestion } = await import('../suggest.js')
      throw new CommandError('USAGE', `There is no table ${table}.`, {
        fix: suggestion(
          table,
          schema.tables.map(({ name }) => name),
        ),
      })
    }
    // Tables go by their names where there is no model at hand.
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

function parseLimit(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^[1-9]\d*$/.test(given)) return Number(given)
  throw new CommandError('USAGE', `--limit is ${JSON.stringify(given)}.`, {
    fix: 'Give a whole number above 0.',
  })
}
