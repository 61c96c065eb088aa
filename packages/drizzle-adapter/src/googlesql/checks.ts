import { entityKind, type SQL } from 'drizzle-orm'

/** A condition that every row meets. */
export class Check {
  static readonly [entityKind]: string = 'SpannerCheck'
  readonly name: string
  readonly value: SQL

  constructor(name: string, value: SQL) {
    this.name = name
    this.value = value
  }
}

/**
 * A condition that every row meets.
 *
 * @example
 * check('quantity_is_positive', gt(t.quantity, 0n))
 */
export function check(name: string, value: SQL): Check {
  return new Check(name, value)
}
