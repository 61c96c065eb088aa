import type { ClientOptions } from 'cassandra-driver'

/** How a cluster came to be there: contact points that were given, Java on this machine, or a container. */
export type CassandraWay = 'given' | 'java' | 'docker'

/** What every way needs to start a cluster and to find out that it serves. */
export interface CassandraRequest {
  /** How many nodes were asked for; without an answer one is started, and a cluster that is given may have any number. */
  readonly nodes: 1 | 3 | undefined
  readonly contactPoints: readonly string[]
  readonly localDataCenter: string | undefined
  readonly clientOptions: Partial<ClientOptions>
  readonly image: string
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: (line: string) => void
}

/** One node of a cluster that runs. */
export interface RunningNode {
  /** `address:port` of its CQL server. */
  readonly host: string
  readonly pid: number | undefined
  readonly running: boolean
  /** Present where the node is ours to kill and to start again. */
  readonly process: { kill(): Promise<void>; start(): Promise<void> } | undefined
}

/** A cluster that has answered CQL on every node. */
export interface RunningCassandra {
  readonly way: CassandraWay
  readonly description: string
  readonly localDataCenter: string
  readonly nodes: readonly RunningNode[]
  /** How a node ended that nobody killed here, with what it said. */
  died(): string | undefined
  /** Ends the cluster if it is ours to end. */
  end(): Promise<void>
}
