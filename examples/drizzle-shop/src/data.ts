/** When the visits begin. */
export const noon = new Date('2026-11-21T12:00:00Z')

const PAGES = ['/', '/pens', '/ink', '/paper', '/basket']

export interface NewVisit {
  readonly at: Date
  readonly customerId: string
  readonly page: string
}

/** Visits, one a second: each customer's in turn. */
export function visitsOf(customerIds: readonly string[], count: number): NewVisit[] {
  return Array.from({ length: count }, (_, at) => ({
    at: new Date(noon.getTime() + at * 1000),
    customerId: customerIds[at % customerIds.length]!,
    page: PAGES[at % PAGES.length]!,
  }))
}

/** The only row of a result, or the first one that counts. */
export function first<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('There is no row.')
  return row
}
