// TypeScript gives decorators their shared metadata object only where `Symbol.metadata` exists, and Node has none yet.
// This is the one place that provides it; every decorator file imports it before any class is evaluated.
const shared = Symbol as { metadata?: symbol }

/** The key of that object on a class. */
export const metadataKey: symbol = (shared.metadata ??= Symbol.for('Symbol.metadata'))
