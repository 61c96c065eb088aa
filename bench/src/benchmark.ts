import type { Cassandra } from '@isotherm/cassandra/local'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import type { Comparison } from './harness.js'
import type { PostgresServer } from './postgres-server.js'

/** One benchmark: a file in this folder, and a line in `main.ts`. */
export interface Benchmark {
  /** For `--only`. */
  readonly name: string
  /** What is compared, in one line. */
  readonly title: string
  run(context: BenchmarkContext): Promise<readonly Comparison[]>
}

/** What a run offers its benchmarks. */
export interface BenchmarkContext {
  /** The benchmark's emulator, started when it is first asked for: not every benchmark needs one. */
  spanner(): Promise<SpannerEmulator>
  /** Likewise, a Cassandra of one node. */
  cassandra(): Promise<Cassandra>
  /** Likewise, a server of PostgreSQL, whose binaries are fetched. */
  postgresql(): Promise<PostgresServer>
  /** Shows how far a long preparation is. */
  progress(what: string, done: number, total: number): void
}
