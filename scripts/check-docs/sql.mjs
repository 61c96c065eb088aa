import { check } from './plan.mjs'

/** Executes the statements that stand alone, page by page: DDL and queries, in order, in one database. */
export async function sqlChecks(blocks, emulator) {
  const checks = []
  for (const path of new Set(blocks.map((block) => block.path))) {
    const database = await (await emulator.start()).database()
    for (const block of blocks.filter((each) => each.path === path)) {
      checks.push(check('sql blocks, executed', await failuresOf(block, database)))
    }
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
