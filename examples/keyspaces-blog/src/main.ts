import { parseArgs } from 'node:util'
import { blog } from './blog.js'
import { startEngine } from './engine.js'
import { Report } from './report.js'

// Everything is checked on the way: a result that is not what it should be ends the process with an error.

const { values } = parseArgs({
  // pnpm hands the `--` on that npm needs before a script's own options.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { engine: { type: 'string' } },
})
const { engine: wanted } = values
if (wanted !== undefined && wanted !== 'cassandra' && wanted !== 'pglite')
  throw new TypeError(`--engine is ${wanted}. Give cassandra or pglite.`)

const engine = await startEngine(wanted)
try {
  const report = new Report((line) => console.log(line))
  report.text(engine.description)
  await blog(engine, report)
  report.section('All results are what they should be.')
} finally {
  await engine.stop()
}
