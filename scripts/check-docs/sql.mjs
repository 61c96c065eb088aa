import { check } from './plan.mjs'

/** Executes statements: the DDL of models in a new database, what stands alone in the one that its page had last. */
export async function sqlChecks(blocks, engines) {
  const checks = []
  const latest = new Map()
  for (const { block, alone } of blocks) {
    const database = (alone && latest.get(block.path)) || (await (await engines.spanner()).database())
    latest.set(block.path, database)
    checks.push(check('sql blocks, executed', await failuresOf(block, database)))
  }
  return checks
}

async function failuresOf(block, database) {
  try {
    for (const statement of statementsOf(block)) {
      if (/^(SELECT|WITH)\b/i.test(statement)) {
        await database.run({ sql: statement, gaxOptions: { retryRequestOptions: { noResponseRetries: 0 } } })
        continue
      }
      const [operation] = await database.updateSchema([statement])
      await operation.promise()
    }
    return []
  } catch (error) {
    return [`${block.path}:${block.line}: ${error.message}`]
  }
}

function statementsOf({ lines }) {
  const bare = lines.map((line) => line.replace(/--.*$/, '')).join('\n')
  return bare
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
