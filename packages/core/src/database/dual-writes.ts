import { IsothermError } from '../errors.js'
import { derivedFill } from './derived.js'
import type { CompiledTable, CompiledTables } from './compiled-table.js'
import type { Driver } from './driver.js'
import { RowMapping } from './dual-writes-mapping.js'
import { refuseObstacles } from './dual-writes-pair.js'
import { DEFAULT_REFRESH, MAX_REFRESH, phaseNamed, Phases, type ReshardPhase } from './dual-writes-phases.js'

/** A table that is written together with the one that takes its place under another key. */
export interface DualWrite {
  /** The table that is there: a model, or its name. It is what the application goes on using. */
  readonly from: object | string
  /** The table with the new key, in the same schema: a model, or its name. */
  readonly to: object | string
  /** Absent: the phase that the migrations have brought it to, read from the database again and again. */
  readonly phase?: ReshardPhase
}

interface Pair {
  readonly from: CompiledTable
  readonly to: CompiledTable
  /** The pair that these tables are interleaved in. */
  readonly parent: Pair | undefined
  /** The table whose phase counts for the whole row tree. */
  readonly root: string
  readonly forth: RowMapping
  readonly back: RowMapping
  /** Hashes in either key, which differ from table to table. */
  readonly hashes: ReadonlySet<string>
}

/** One table of a pair as it is written now: which leads, and which follows. */
export interface DualTable {
  readonly leader: CompiledTable
  readonly follower: CompiledTable
  readonly mapping: RowMapping
  readonly parent: DualTable | undefined
}

/** The tables of a database as they are to be read and written, all of one moment. */
export interface TableView {
  of(model: object | string): CompiledTable
  /** The phases, as one text to compare. */
  readonly phases?: string
  /** How a table is written twice; undefined where it is not. */
  dual?(table: CompiledTable): DualTable | undefined
  /** What was given, without hashes of keys that may be those of the other table. */
  plain?<Given extends Readonly<Record<string, unknown>>>(table: CompiledTable, given: Given): Given
}

/** The pairs of a database, and where each of them stands. */
export class DualWrites {
  readonly #tables: CompiledTables
  readonly #pairs: readonly Pair[]
  readonly #fixed: ReadonlyMap<string, ReshardPhase>
  readonly #phases: Phases | undefined

  /** @throws {IsothermError} `UNSUPPORTED` for tables that cannot hold the same rows. */
  constructor(
    given: readonly DualWrite[],
    tables: CompiledTables,
    driver: Driver,
    refresh: number = DEFAULT_REFRESH,
  ) {
    if (!(refresh > 0 && refresh <= MAX_REFRESH)) {
      throw new IsothermError('INVALID_VALUE', `phaseRefresh is ${refresh} milliseconds.`, {
        fix: `Take more than 0 and at most ${MAX_REFRESH}: whoever changes a phase waits for all to have read it.`,
      })
    }
    this.#tables = tables
    this.#pairs = pairsOf(given, tables)
    this.#fixed = new Map(
      given.flatMap(({ from, phase }) => {
        const { name } = tables.of(from).layout.table
        return phase === undefined ? [] : [[name, phaseNamed(phase, name)] as const]
      }),
    )
    const roots = this.#pairs
      .filter(({ parent, root }) => !parent && !this.#fixed.has(root))
      .map(({ from, to }) => ({ from: from.layout.table.name, to: to.layout.table.name }))
    this.#phases = roots.length === 0 ? undefined : new Phases(driver, roots, refresh)
  }

  /** The tables as of now. */
  async current(): Promise<TableView> {
    return this.#view((await this.#phases?.known()) ?? new Map())
  }

  /** The same without a wait. @throws {IsothermError} `UNAVAILABLE` where the phases are not known yet. */
  get now(): TableView {
    return this.#view(this.#phases?.now ?? new Map())
  }

  /**
   * Before a commit: work that began in another phase would write where nobody looks any more.
   *
   * @throws {IsothermError} `ABORTED` where a phase has changed since.
   */
  async refuseChanged({ phases }: TableView): Promise<void> {
    if ((await this.current()).phases === phases) return
    throw new IsothermError('ABORTED', 'A table has come to another phase of its change of key meanwhile.', {
      fix: 'Begin again: this happens once for each phase.',
      transient: true,
    })
  }

  #view(read: ReadonlyMap<string, ReshardPhase>): TableView {
    const phaseOf = ({ root }: Pair): ReshardPhase => this.#fixed.get(root) ?? read.get(root)!
    const pairOf = (table: CompiledTable): Pair | undefined => {
      const { name } = table.layout.table
      return this.#pairs.find(
        ({ from, to }) => from.layout.table.name === name || to.layout.table.name === name,
      )
    }
    const directed = (pair: Pair): DualTable => {
      const reads = phaseOf(pair) === 'reading'
      return {
        leader: reads ? pair.to : pair.from,
        follower: reads ? pair.from : pair.to,
        mapping: reads ? pair.back : pair.forth,
        parent: pair.parent && directed(pair.parent),
      }
    }
    return {
      phases: this.#pairs.map(phaseOf).join(),
      of: (model) => {
        const table = this.#tables.of(model)
        const pair = pairOf(table)
        if (!pair || table.layout !== pair.from.layout) return table
        const phase = phaseOf(pair)
        return phase === 'reading' || phase === 'done' ? pair.to : table
      },
      dual(table) {
        const pair = pairOf(table)
        if (!pair) return undefined
        const phase = phaseOf(pair)
        const isOld = table.layout === pair.from.layout
        if (!isOld && (phase === 'off' || phase === 'writing')) throw notYet(pair, phase)
        return phase === 'off' || phase === 'done' ? undefined : directed(pair)
      },
      plain(table, given) {
        const hashes = pairOf(table)?.hashes
        if (!hashes || typeof given !== 'object' || given === null) return given
        if (!Object.keys(given).some((property) => hashes.has(property))) return given
        return Object.fromEntries(
          Object.entries(given).filter(([property]) => !hashes.has(property)),
        ) as typeof given
      },
    }
  }
}

function notYet({ from, to }: Pair, phase: ReshardPhase): IsothermError {
  const old = from.layout.table.name
  const { name } = to.layout.table
  return new IsothermError('UNSUPPORTED', `${name} takes no writes of its own while ${old} is ${phase}.`, {
    fix: `Write through ${old}: its rows are kept in ${name} as well, from the phase writing on.`,
    table: name,
  })
}

function pairsOf(given: readonly DualWrite[], tables: CompiledTables): Pair[] {
  const named = new Map(
    given.map(({ from, to }) => [
      tables.of(from).layout.table.name,
      { from: tables.of(from), to: tables.of(to) },
    ]),
  )
  const made = new Map<string, Pair>()
  const make = (name: string): Pair | undefined => {
    const known = made.get(name)
    const tablesOf = named.get(name)
    if (known || !tablesOf) return known
    const { from, to } = tablesOf
    const parentName = from.layout.table.parent?.table
    const parent = parentName === undefined ? undefined : make(parentName)
    refuseObstacles(from.layout, to.layout)
    refuseOtherTree(from, to, parent)
    const pair: Pair = {
      from,
      to,
      parent,
      root: parent?.root ?? name,
      forth: new RowMapping(from, to),
      back: new RowMapping(to, from),
      hashes: new Set(
        [...from.layout.fields, ...to.layout.fields].flatMap((field) =>
          derivedFill(field) ? [field.column.property] : [],
        ),
      ),
    }
    made.set(name, pair)
    return pair
  }
  const pairs = [...named.keys()].map((name) => make(name)!)
  for (const { name, parent: interleaving } of tables.declared) {
    const parent = interleaving && made.get(interleaving.table)
    if (!parent || made.has(name)) continue
    throw unsupported(
      name,
      `is interleaved in ${parent.from.layout.table.name}, which is written twice, and is not.`,
      'Name it among dualWrites as well: the rows of a tree move together.',
    )
  }
  return pairs
}

function refuseOtherTree(from: CompiledTable, to: CompiledTable, parent: Pair | undefined): void {
  const old = from.layout.table
  const expected = old.parent && { ...old.parent, table: parent?.to.layout.table.name ?? old.parent.table }
  if (JSON.stringify(expected) === JSON.stringify(to.layout.table.parent)) return
  throw unsupported(
    old.name,
    `and ${to.layout.table.name} do not lie in the same place of their row trees.`,
    'Interleave the new table in the new parent, with the same onDelete.',
  )
}

function unsupported(table: string, what: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED', `${table} ${what}`, { fix, table })
}
