// TypeScript gives decorators their shared metadata object only where `Symbol.metadata` exists, and Node has none yet.
// This is the one place that provides it; every decorator file imports it before any class is evaluated.
const shared = Symbol as { metadata?: symbol }
shared.metadata ??= Symbol.for('Symbol.metadata')

export {}
