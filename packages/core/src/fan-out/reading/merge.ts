/**
 * Merges sorted sources into one order: a loser tree, so that a row costs one comparison per level and no allocation.
 *
 * Each inner node holds the source that lost there, and the winner of all stands above: when a source moves on to its next
 * row, only the nodes between its leaf and the top have to be played again.
 */
export class Merge<Row> {
  readonly #compare: (a: Row, b: Row) => number
  readonly #rank: (row: Row) => number
  /** The ranks of each run's rows: worked out together, while the rows are at hand, and then next to one another. */
  readonly #ranks: Float64Array[]
  readonly #runs: (readonly Row[])[]
  /** How far each run has been taken. */
  readonly #at: Int32Array
  /** The loser at each inner node; at 0 the winner. */
  readonly #tree: Int32Array

  /**
   * @param runs the first rows of each source; none of a source that has none
   * @param rank a number that says the same as `compare`, or nothing: it is worked out once for each row
   */
  constructor(
    compare: (a: Row, b: Row) => number,
    runs: readonly (readonly Row[])[],
    rank: (row: Row) => number = () => 0,
  ) {
    this.#compare = compare
    this.#rank = rank
    this.#ranks = runs.map((rows) => this.#ranked(rows))
    this.#runs = [...runs]
    this.#at = new Int32Array(runs.length)
    this.#tree = new Int32Array(Math.max(1, runs.length))
    this.#tree[0] = this.#play(1)
  }

  /**
   * Moves rows to `out` until it holds `max`, or until a run is drained: its source is returned, and nothing may be taken
   * before `refill` has been called with its next rows. `undefined`: `out` is full, or no source has a row left.
   */
  take(out: Row[], max: number): number | undefined {
    const tree = this.#tree
    while (out.length < max) {
      const source = tree[0]!
      const run = this.#runs[source]
      if (run === undefined) return undefined
      const at = this.#at[source]!
      if (at === run.length) return undefined
      out.push(run[at]!)
      this.#at[source] = at + 1
      if (at + 1 === run.length) return source
      this.#replay(source)
    }
    return undefined
  }

  /** The next rows of a source that was drained; none when it has ended. */
  refill(source: number, rows: readonly Row[]): void {
    this.#runs[source] = rows
    this.#at[source] = 0
    this.#ranks[source] = this.#ranked(rows)
    this.#replay(source)
  }

  #ranked(rows: readonly Row[]): Float64Array {
    const ranks = new Float64Array(rows.length)
    for (let at = 0; at < rows.length; at++) ranks[at] = this.#rank(rows[at]!)
    return ranks
  }

  /** Plays all below a node, and gives the winner back. Leaves are the nodes from the number of sources on. */
  #play(node: number): number {
    const sources = this.#runs.length
    if (node >= sources) return node - sources
    const left = this.#play(2 * node)
    const right = this.#play(2 * node + 1)
    const leftWins = this.#wins(left, right)
    this.#tree[node] = leftWins ? right : left
    return leftWins ? left : right
  }

  #replay(source: number): void {
    const tree = this.#tree
    let winner = source
    for (let node = (source + this.#runs.length) >> 1; node > 0; node >>= 1) {
      const other = tree[node]!
      if (this.#wins(winner, other)) continue
      tree[node] = winner
      winner = other
    }
    tree[0] = winner
  }

  /** A source that has no row left loses against all. */
  #wins(a: number, b: number): boolean {
    const ofA = this.#runs[a]!
    const atA = this.#at[a]!
    if (atA === ofA.length) return false
    const ofB = this.#runs[b]!
    const atB = this.#at[b]!
    if (atB === ofB.length) return true
    const rankA = this.#ranks[a]![atA]!
    const rankB = this.#ranks[b]![atB]!
    return rankA === rankB ? this.#compare(ofA[atA]!, ofB[atB]!) <= 0 : rankA < rankB
  }
}
