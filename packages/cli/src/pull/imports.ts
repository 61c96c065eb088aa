import { fits, lines } from './source-text.js'

/** What a file imports, taken down while its code is written. */
export class Imports {
  readonly #names = new Map<string, Set<string>>()

  add(from: string, ...names: readonly string[]): void {
    const known = this.#names.get(from) ?? new Set()
    for (const name of names) known.add(name)
    this.#names.set(from, known)
  }

  /** Packages before files, values before types. */
  toString(): string {
    const sorted = [...this.#names].toSorted(
      ([a], [b]) => Number(isFile(a)) - Number(isFile(b)) || order(a, b),
    )
    return sorted
      .map(([from, names]) => {
        const list = [...names].toSorted((a, b) => Number(isType(a)) - Number(isType(b)) || order(a, b))
        const line = `import { ${list.join(', ')} } from '${from}'`
        return list.length === 1 || fits(line, { used: 0, after: 0 })
          ? line
          : `import ${lines('{', list, '}', 0)} from '${from}'`
      })
      .join('\n')
  }
}

function isFile(from: string): boolean {
  return from.startsWith('.')
}

function isType(name: string): boolean {
  return name.startsWith('type ')
}

function order(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return x < y ? -1 : x > y ? 1 : a < b ? -1 : 1
}

/** The specifier of one file of the models in another: `../order.js`. */
export function specifier(from: string, to: string): string {
  const folder = from.split('/').slice(0, -1)
  const target = to.split('/')
  const shared = folder.length > 0 && folder[0] === target[0]
  if (shared) return `./${target.slice(1).join('/')}.js`
  return folder.length > 0 ? `../${to}.js` : `./${to}.js`
}
