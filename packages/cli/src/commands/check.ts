import {
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  migrationsOption,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { type Drift, driftOf } from '../changes/drift.js'
import { exitCodes } from '../command-error.js'
import { openProject } from '../project/project.js'

interface CheckOptions extends ProjectOptions {
  readonly offline?: boolean
}

export const check = defineCommand<CheckOptions>({
  name: 'check',
  summary: 'check that models, migrations and database agree',
  description:
    'Compares the models with the snapshot of the last migration, the migrations with the history in the database, and the tables ' +
    'of the database with the snapshot of the last applied migration. Changes nothing. Use it in CI and before a deployment.',
  arguments: [],
  options: [
    { flags: '--offline', description: 'compare only models and migrations, without a database' },
    schemaOption,
    tsconfigOption,
    migrationsOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm check', what: 'all comparisons' },
    { command: 'isotherm check --offline', what: 'find changes of the models without a migration' },
  ],
  exits: ['0    all agree', '1    drift: the output says where'],
  async run(context) {
    const { options, output } = context
    const project = await openProject(context)
    const found = await driftOf(project, options.offline === true, output)
    const { bad, good } = output.style
    for (const { title, agreed, drift, fix } of found) {
      if (drift.length === 0) {
        output.line(`${good('agree')} ${agreed}`)
        continue
      }
      output.line(`${bad('drift')} ${title}`)
      for (const line of drift) output.line(`      ${line}`)
      for (const line of fix.split('\n')) output.line(`      ${line}`)
    }
    const drifted = found.filter(({ drift }) => drift.length > 0)
    output.result({
      agrees: drifted.length === 0,
      checks: found.map(({ name, drift }: Drift) => ({ name, drift })),
    })
    return drifted.length === 0 ? exitCodes.ok : exitCodes.findings
  },
})
