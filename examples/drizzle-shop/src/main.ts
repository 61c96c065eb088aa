import { startSpannerEmulator } from '@isotherm/spanner/local'
import { googleSqlShop } from './googlesql/shop.js'
import { postgresqlShop } from './postgresql/shop.js'
import { Report } from './report.js'

// Everything is checked on the way: a result that is not what it should be ends the process with an error.

await using engine = await startSpannerEmulator()
const report = new Report((line) => console.log(line))
report.text(engine.description)
await googleSqlShop(engine, report)
await postgresqlShop(engine, report)
report.section('All results are what they should be.')
