import { startCassandra } from '@isotherm/cassandra/local'
import { blog } from './blog.js'
import { Report } from './report.js'

// Everything is checked on the way: a result that is not what it should be ends the process with an error.

await using engine = await startCassandra()
const report = new Report((line) => console.log(line))
report.text(engine.description)
await blog(engine, report)
report.section('All results are what they should be.')
