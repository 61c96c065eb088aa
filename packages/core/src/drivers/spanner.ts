export { spanner, type SpannerOptions } from './spanner/driver.js'
