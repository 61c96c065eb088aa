export { startSpannerEmulator } from './spanner-emulator.js'
export type { SpannerEmulatorOptions } from './spanner-emulator.js'
export type { SpannerDatabaseOptions, SpannerEmulator, SpannerEmulatorDialect } from './started-emulator.js'
export type { SpannerEmulatorWay } from './emulator-way.js'
