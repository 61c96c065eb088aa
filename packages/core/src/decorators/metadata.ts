// TypeScript gives decorators their shared metadata object only if `Symbol.metadata` exists, and Node does not have it yet.
// Only this module provides it; every decorator file imports it before any class is evaluated.
const shared = Symbol as { metadata?: symbol }

/** The key of that object on a class. */
export const metadataKey: symbol = (shared.metadata ??= Symbol.for('Symbol.metadata'))
