import type { CatalogKeyPart, CatalogTable } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'

/** The columns that a key has in place of descending order, each with the column behind it. */
export type Mirrors = ReadonlyMap<string, string>

export function mirrorsOf(
  { columns, key }: CatalogTable,
  uses: (column: string) => number,
  dialect: IntrospectedDialect,
): Mirrors {
  const mirrors = key.flatMap(({ column: name }, place): [string, string][] => {
    const mirror = columns.find((column) => column.name === name)
    const behind = columns.find((column) => column.name === key[place + 1]?.column)
    const type = behind && dialect.typeOf(behind.type)?.type
    if (!mirror || !behind || !type || uses(name) > 0) return []
    return dialect.isMirror?.(mirror, behind, type) ? [[name, behind.name]] : []
  })
  return new Map(mirrors)
}

/** The parts of a key as a `Schema` has them: the column behind a mirror descends. */
export function withoutMirrors(parts: readonly CatalogKeyPart[], mirrors: Mirrors): CatalogKeyPart[] {
  return parts
    .filter(({ column }) => !mirrors.has(column))
    .map((part) => {
      const mirrored = parts.some(({ column }) => mirrors.get(column) === part.column)
      return mirrored ? { ...part, order: 'desc' } : part
    })
}
