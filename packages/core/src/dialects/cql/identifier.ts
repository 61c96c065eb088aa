/**
 * A name, quoted always: without quotes it would lose its capitals, and `order` and others are keywords. A name that was
 * checked by nobody cannot end its quotes all the same.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/definitions.html#identifiers
 */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text, as a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
