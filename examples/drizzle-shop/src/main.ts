import { parseArgs } from 'node:util'
import { IsothermError } from '@isotherm/core'
import { startPglite } from '@isotherm/postgresql/local'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { googleSqlShop } from './googlesql/shop.js'
import { onPglite, onSpanner } from './postgresql/engine.js'
import { postgresqlShop } from './postgresql/shop.js'
import { Report } from './report.js'

// Everything is checked on the way: a result that is not what it should be ends the process with an error.

const report = new Report((line) => console.log(line))

async function shopOnSpanner(isWanted: boolean): Promise<void> {
  await using engine = await startSpannerEmulator(isWanted ? {} : { launchers: ['environment', 'binary'] })
  report.text(engine.description)
  await googleSqlShop(engine, report)
  await postgresqlShop(onSpanner(engine), report)
}

/** The shop of Spanner's PostgreSQL dialect, with Drizzle's own database. */
async function shopOnPglite(): Promise<void> {
  await using engine = await startPglite()
  report.text(engine.description)
  await postgresqlShop(onPglite(engine), report)
}

const { values } = parseArgs({
  // pnpm hands the `--` on that npm needs before a script's own options.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { engine: { type: 'string' } },
})
const { engine } = values
if (engine !== undefined && engine !== 'spanner' && engine !== 'pglite')
  throw new TypeError(`--engine is ${engine}. Give spanner or pglite.`)

if (engine === 'pglite') await shopOnPglite()
else {
  try {
    await shopOnSpanner(engine === 'spanner')
  } catch (error) {
    const isMissing = error instanceof IsothermError && error.code === 'ENGINE_UNAVAILABLE'
    // An emulator that the environment names is meant, and no other engine takes its place.
    if (engine === 'spanner' || !isMissing || process.env['SPANNER_EMULATOR_HOST']) throw error
    await shopOnPglite()
  }
}
report.section('All results are what they should be.')
