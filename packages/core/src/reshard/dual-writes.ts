import { IsothermError } from '../errors.js'
import { sqlOf } from '../engine/dialect.js'
import type { Driver, RowWrite, RowWrites, TransactionContext } from '../engine/driver.js'
import type { PlainRow } from '../engine/codec.js'
import { Limits } from '../engine/retries.js'
import type { TableLayout } from '../layout/layout.js'
import {
  type OptionKinds,
  checkArgument,
  checkOptions,
  kind,
  listOf,
  options,
  required,
  text,
} from '../options.js'
import type {
  CompiledTable,
  CompiledTables,
  TableResolver,
  TableView,
  TablesOf,
} from '../rows/compiled-table.js'
import { derivedFill, valueIn } from '../rows/fill.js'
import { DEFAULT_REFRESH, MAX_REFRESH, Phases, type ReshardPhase, phaseNamed } from './phases.js'
import { RowMapping, refuseObstacles } from './row-mapping.js'
import { type DualTable, DualSession, writtenBeside } from './session.js'

/** A table that is written together with its replacement under another key. */
export interface DualWrite {
  /** The existing table: a model, or its name. The application continues to use it. */
  readonly from: object | string
  /** The table with the new key, in the same schema: a model, or its name. */
  readonly to: object | string
  /** Absent: the phase that the migrations have brought it to, read from the database again and again. */
  readonly phase?: ReshardPhase
}

export interface DualWritesOptions {
  /** How often the phases are read again, in milliseconds, up to 10,000. Default: 5,000. */
  readonly phaseRefresh?: number
}

const DUAL_WRITE: OptionKinds<DualWrite> = {
  from: required(kind('a model, or its name', isModelOrName)),
  to: required(kind('a model, or its name', isModelOrName)),
  phase: text("'copying'"),
}

const PAIRS = listOf(options(DUAL_WRITE), 'a list of { from, to }')

const OPTIONS: OptionKinds<DualWritesOptions> = {
  phaseRefresh: kind(
    `a number of milliseconds, more than 0 and at most ${MAX_REFRESH}: a change of phase waits until every process has read it`,
    (value) => typeof value === 'number' && value > 0 && value <= MAX_REFRESH,
  ),
}

function isModelOrName(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'function' || typeof value === 'object'
}

const WRITE_BOTH = 'Leave dualWrites out, and let the application write each row to both tables.'

/**
 * The option `tables` of `openDatabase` while rows of some tables are kept in a second one as well, which takes their place under
 * another key.
 *
 * @throws {IsothermError} `INVALID_OPTION`; where the database is opened, `RESHARD_REFUSED` for tables that cannot hold the same rows.
 * @example
 * const db = openDatabase({ driver, schema, tables: dualWrites([{ from: Order, to: 'OrderByShard' }]) })
 */
export function dualWrites(pairs: readonly DualWrite[], options: DualWritesOptions = {}): TablesOf {
  checkArgument('dualWrites', 'pairs', PAIRS, pairs)
  checkOptions('dualWrites', OPTIONS, options)
  return (tables, driver) => {
    sqlOf(driver.dialect, 'A second table that is written beside the first', WRITE_BOTH)
    return new DualWrites(pairs, tables, driver, options.phaseRefresh)
  }
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

/** The pairs of a database, and where each of them stands. */
class DualWrites implements TableResolver {
  readonly #tables: CompiledTables
  readonly #writes: RowWrites
  readonly #pairs: readonly Pair[]
  readonly #fixed: ReadonlyMap<string, ReshardPhase>
  readonly #phases: Phases | undefined

  /** @throws {IsothermError} `RESHARD_REFUSED` for tables that cannot hold the same rows. */
  constructor(
    pairs: readonly DualWrite[],
    tables: CompiledTables,
    driver: Driver,
    refresh: number = DEFAULT_REFRESH,
  ) {
    this.#tables = tables
    this.#writes = driver.writes
    this.#pairs = pairsOf(pairs, tables)
    this.#fixed = new Map(
      pairs.flatMap(({ from, phase }) => {
        const { name } = tables.of(from).layout.table
        return phase === undefined ? [] : [[name, phaseNamed(phase, name)] as const]
      }),
    )
    const roots = this.#pairs
      .filter(({ parent, root }) => !parent && !this.#fixed.has(root))
      .map(({ from, to }) => ({ from: from.layout.table.name, to: to.layout.table.name }))
    this.#phases = roots.length === 0 ? undefined : new Phases(driver, roots, refresh)
  }

  /** The current tables. */
  current(limits: Limits): TableView | Promise<TableView> {
    const phases = this.#phases?.known(limits) ?? new Map()
    return phases instanceof Promise ? phases.then((read) => this.#view(read)) : this.#view(phases)
  }

  /** The same without a wait. @throws {IsothermError} `UNAVAILABLE` where the phases are not known yet. */
  get now(): TableView {
    return this.#view(this.#phases?.now ?? new Map())
  }

  /**
   * Checked before a commit: work that began in another phase would write to a table that is no longer read.
   *
   * @throws {IsothermError} `ABORTED` where a phase has changed since.
   */
  async #refuseChanged(phases: string, limits: Limits): Promise<void> {
    if (this.#phasesOf((await this.#phases?.known(limits)) ?? new Map()) === phases) return
    throw new IsothermError('ABORTED', 'A table has come to another phase of its change of key meanwhile.', {
      fix: 'Begin again: this happens once for each phase.',
      retryable: true,
    })
  }

  #phaseOf({ root }: Pair, read: ReadonlyMap<string, ReshardPhase>): ReshardPhase {
    return this.#fixed.get(root) ?? read.get(root)!
  }

  /** The phases, as one text to compare. */
  #phasesOf(read: ReadonlyMap<string, ReshardPhase>): string {
    return this.#pairs.map((pair) => this.#phaseOf(pair, read)).join()
  }

  #view(read: ReadonlyMap<string, ReshardPhase>): TableView {
    const phases = this.#phasesOf(read)
    const pairOf = ({ table: { name } }: TableLayout): Pair | undefined =>
      this.#pairs.find(({ from, to }) => from.layout.table.name === name || to.layout.table.name === name)
    const directed = (pair: Pair): DualTable => {
      const reads = this.#phaseOf(pair, read) === 'reading'
      return {
        leader: reads ? pair.to : pair.from,
        follower: reads ? pair.from : pair.to,
        mapping: reads ? pair.back : pair.forth,
        parent: pair.parent && directed(pair.parent),
      }
    }
    /** How rows are written twice; undefined where they are not. */
    const dualOf = ([write]: readonly RowWrite[]): DualTable | undefined => {
      const pair = write?.layout && pairOf(write.layout)
      if (!pair) return undefined
      const phase = this.#phaseOf(pair, read)
      const isOld = write.layout === pair.from.layout
      if (!isOld && (phase === 'off' || phase === 'writing')) throw notYet(pair, phase)
      return phase === 'off' || phase === 'done' ? undefined : directed(pair)
    }
    const refuseChanged = (limits: Limits): Promise<void> => this.#refuseChanged(phases, limits)
    return {
      of: (model) => {
        const table = this.#tables.of(model)
        const pair = pairOf(table.layout)
        if (!pair || table.layout !== pair.from.layout) return table
        const phase = this.#phaseOf(pair, read)
        return phase === 'reading' || phase === 'done' ? pair.to : table
      },
      plain(table, rows) {
        const hashes = pairOf(table.layout)?.hashes
        return hashes ? rows.map((each) => without(hashes, each, table.layout)) : rows
      },
      writes: writesOfBoth(this.#writes, dualOf, refuseChanged),
      transaction(context) {
        const session = new DualSession(context)
        const write: TransactionContext['write'] = async (writes, options) => {
          const dual = dualOf(writes)
          if (!dual) return context.write(writes, options)
          if (options?.buffered) throw cannotBufferBoth(dual)
          return session.write(dual, writes)
        }
        return {
          context: { ...context, write },
          beforeCommit() {
            session.refuseHalfWritten()
            // Its transaction ends it.
            return refuseChanged(new Limits({}))
          },
        }
      },
    }
  }
}

/** Commits of rows that may be written to a second table as well. */
function writesOfBoth(
  writes: RowWrites,
  dualOf: (rowWrites: readonly RowWrite[]) => DualTable | undefined,
  refuseChanged: (limits: Limits) => Promise<void>,
): RowWrites {
  return {
    maxRows: (tables) => writes.maxRows(tables),
    commit: async (rowWrites, options = {}) => {
      const limits = new Limits(options)
      const beforeNext = () => refuseChanged(limits)
      const dual = dualOf(rowWrites)
      if (!dual) return writes.commit(rowWrites, { ...options, beforeNext })
      const beside = writtenBeside(dual, rowWrites)
      if (beside) return writes.commit([...rowWrites, ...beside], { ...options, beforeNext })
      const inTransaction = {
        beside: [dual.follower.layout],
        write: (context: TransactionContext, some: readonly RowWrite[]) =>
          new DualSession(context).write(dual, some),
      }
      return writes.commit(rowWrites, { ...options, beforeNext, inTransaction })
    },
  }
}

/** A row without its hashes, with all other values that a write reads of it. */
function without(
  hashes: ReadonlySet<string>,
  input: Readonly<PlainRow>,
  { byProperty }: TableLayout,
): Readonly<PlainRow> {
  if (![...hashes].some((property) => valueIn(input, property) !== undefined)) return input
  const row: PlainRow = { ...input }
  for (const property of byProperty.keys()) row[property] = valueIn(input, property)
  for (const property of hashes) delete row[property]
  return row
}

function cannotBufferBoth({ leader, follower }: DualTable): IsothermError {
  const { name } = leader.layout.table
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `Rows of ${name} cannot be buffered while they are written to ${follower.layout.table.name} as well.`,
    {
      fix: 'Leave buffered out: the rows of the second table are computed from those in the first.',
      table: name,
    },
  )
}

function notYet({ from, to }: Pair, phase: ReshardPhase): IsothermError {
  const old = from.layout.table.name
  const { name } = to.layout.table
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `${name} takes no writes of its own while ${old} is ${phase}.`,
    {
      fix: `Write through ${old}: its rows are kept in ${name} as well, from the phase writing on.`,
      table: name,
    },
  )
}

function pairsOf(dualPairs: readonly DualWrite[], tables: CompiledTables): Pair[] {
  const named = new Map(
    dualPairs.map(({ from, to }) => [
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
    `and ${to.layout.table.name} do not have the same position in their row trees.`,
    'Interleave the new table in the new parent, with the same onDelete.',
  )
}

function unsupported(table: string, what: string, fix: string): IsothermError {
  return new IsothermError('RESHARD_REFUSED', `${table} ${what}`, { fix, table })
}
