/**
 * A name, quoted always: without quotes it would lose its capitals. In `sales.Order` each part is quoted for itself. Names
 * were checked when the schema was made; one that was not cannot end its quotes all the same.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical#identifiers_and_quoted_identifiers
 */
export function quote(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

/** A text, as a literal. A backslash in it is a character like any other. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
