// An application in CommonJS that also imports: of each entry, how many exports are the same object by `require` and by `import`.

const ENTRIES = [
  ['core', 'core/keys', 'core/sequences', 'core/reshard', 'core/engine', 'core/tools', 'core/local'],
  ['core/command', 'core/adapter', 'spanner', 'spanner/local', 'spanner/adapter', 'spanner/cli'],
  ['cassandra', 'cassandra/keyspaces', 'cassandra/local', 'cassandra/dialects', 'cassandra/cli'],
  ['migrations', 'drizzle-adapter', 'drizzle-adapter/postgresql'],
].flat()

/** A model by the copy of `make`, whose DDL the copy of `use` compiles. */
function ddlOf(make, use, dialect) {
  const Visit = make.defineTable('Visit', (t) => ({
    shardId: t.shardKey({ shards: 8, of: ['userId'] }),
    at: t.descTimestamp({ default: 'now' }),
    userId: t.int64().key(),
  }))
  return use.compileDdl(use.defineSchema([Visit]), { dialect }).join('\n')
}

async function main() {
  const counts = { missing: [], same: 0, other: 0 }
  for (const entry of ENTRIES) {
    const required = require(`@isotherm/${entry}`)
    const imported = await import(`@isotherm/${entry}`)
    for (const [name, value] of Object.entries(imported)) {
      // The exports that an `import` of CommonJS adds.
      if (name === 'default' || name === 'module.exports') continue
      if (!(name in required)) counts.missing.push(`${entry}: ${name}`)
      // A constant is equal to its copy.
      else if (typeof value === 'function') counts[required[name] === value ? 'same' : 'other']++
    }
  }
  const required = require('@isotherm/core')
  const imported = await import('@isotherm/core')
  const byRequire = require('@isotherm/spanner').googlesql
  const byImport = (await import('@isotherm/spanner')).googlesql
  const ddl = [
    ddlOf(required, required, byRequire),
    ddlOf(imported, imported, byImport),
    ddlOf(required, imported, byImport),
    ddlOf(imported, required, byRequire),
  ]
  console.log(JSON.stringify({ ...counts, ddl: [...new Set(ddl)] }))
}

void main()
