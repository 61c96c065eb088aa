import { SchemaError } from '../errors.js'
import type { Schema } from './schema.js'
import { validateSchema } from './validate.js'

// Schemas that `defineSchema` or introspection has made. Any other may have been put together by hand, or come from a file.
const checked = new WeakSet<Schema>()

export function markChecked(schema: Schema): Schema {
  checked.add(schema)
  return schema
}

/** @throws {SchemaError} with everything that is wrong with a schema that nobody has checked yet. */
export function checkSchema(schema: Schema): void {
  if (checked.has(schema)) return
  const findings = validateSchema(schema)
  if (findings.length > 0) throw new SchemaError(findings)
  markChecked(schema)
}
