import type { DialectName } from '@isotherm/core'

// Drizzle's own marks, by which a table is known whichever copy of Drizzle made it, and without loading one.

const KIND = Symbol.for('drizzle:entityKind')
const MARKS = [Symbol.for('drizzle:IsDrizzleTable'), Symbol.for('drizzle:IsDrizzleView')]

const DIALECTS: Readonly<Record<string, DialectName>> = {
  SpannerTable: 'googlesql',
  SpannerView: 'googlesql',
  SpannerSequence: 'googlesql',
  SpannerSchema: 'googlesql',
  PgTable: 'spanner-postgresql',
  PgView: 'spanner-postgresql',
  PgMaterializedView: 'spanner-postgresql',
  PgSequence: 'spanner-postgresql',
  PgSchema: 'spanner-postgresql',
}

/** What declares tables of a dialect. */
export const declaredWith: Readonly<Partial<Record<DialectName, string>>> = {
  googlesql: 'spannerTable',
  'spanner-postgresql': 'pgTable',
  cql: 'defineTable or @Table, and not with Drizzle',
}

/** What Drizzle makes for a schema: a table, a view, a sequence or a named schema. */
export interface DrizzleDeclaration {
  /** Undefined for one of a database that is no Spanner. */
  readonly dialect: DialectName | undefined
  /** Drizzle's word for it: `PgTable`. */
  readonly kind: string
}

/** Undefined for what is none, such as relations. */
export function drizzleDeclaration(value: unknown): DrizzleDeclaration | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const kinds = kindsOf(value)
  const known = kinds.find((kind) => Object.hasOwn(DIALECTS, kind))
  if (known !== undefined) return { dialect: DIALECTS[known], kind: known }
  const [kind] = kinds
  return kind !== undefined && MARKS.some((mark) => mark in value) ? { dialect: undefined, kind } : undefined
}

/** Those of its class and of the classes above it. */
function kindsOf(value: object): string[] {
  const kinds: string[] = []
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null
  for (let at: unknown = prototype?.constructor; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const kind: unknown = Object.hasOwn(at, KIND) ? Reflect.get(at, KIND) : undefined
    if (typeof kind === 'string') kinds.push(kind)
  }
  return kinds
}
