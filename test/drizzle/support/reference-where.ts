import {
  and,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  not,
  notInArray,
  or,
  sql,
  type Column,
  type SQL,
} from 'drizzle-orm'

type Where = Readonly<Record<string, unknown>>

const TRUE = sql`true`
const FALSE = sql`false`

/** A filter of the reference as a user of Drizzle writes it. */
export function drizzleWhere(columns: Readonly<Record<string, Column>>, where: Where): SQL {
  const all = Object.entries(where).map(([name, condition]) => {
    const several = () => (condition as readonly Where[]).map((each) => drizzleWhere(columns, each))
    if (name === 'AND') return and(...several()) ?? TRUE
    if (name === 'OR') return or(...several()) ?? FALSE
    if (name === 'NOT') return not(drizzleWhere(columns, condition as Where))
    return about(columns[name]!, condition)
  })
  return and(...all) ?? TRUE
}

function about(column: Column, condition: unknown): SQL {
  if (condition === null) return isNull(column)
  if (typeof condition !== 'object' || condition instanceof Date || Buffer.isBuffer(condition))
    return eq(column, condition)
  return (
    and(...Object.entries(condition).map(([operator, operand]) => one(column, operator, operand))) ?? TRUE
  )
}

function one(column: Column, operator: string, operand: unknown): SQL {
  if (operand === null) return operator === 'eq' ? isNull(column) : isNotNull(column)
  switch (operator) {
    case 'in':
      return inArray(column, operand as unknown[])
    case 'notIn':
      return notInArray(column, operand as unknown[])
    case 'startsWith':
      return like(column, `${(operand as string).replaceAll(/[\\%_]/g, '\\$&')}%`)
    default:
      return { eq, ne, lt, lte, gt, gte }[operator as 'eq'](column, operand)
  }
}
