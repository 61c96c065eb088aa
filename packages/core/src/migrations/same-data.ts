/** Whether two pieces of plain data are the same: a property that is undefined is as one that is not there. */
export function sameData(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameData(item, other[at]))
    )
  }
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>]
  for (const key in a) if (!sameData(a[key], b[key])) return false
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false
  return true
}
