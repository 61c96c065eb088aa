/**
 * A name, quoted always: `AT`, `HASH` and others are keywords. In `sales.Order` each part is quoted for itself. Names were
 * checked when the schema was made; one that was not cannot end its quotes all the same.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#quoted_identifiers
 */
export function quote(name: string): string {
  return name
    .split('.')
    .map((part) => `\`${escaped(part).replaceAll('`', '\\`')}\``)
    .join('.')
}

/** A text, as a literal. */
export function literal(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}
