import type { Client } from 'cassandra-driver'

/** What a connection takes where nobody has said otherwise, of which some are left to what the client asks for itself. */
const PER_CONNECTION = 2_048
const SHARE = 0.95

interface Pooling {
  readonly maxRequestsPerConnection?: number
}

/**
 * How many requests wait for their answers at once. A client refuses what is more than its connections take, and says that
 * no node is there: what is beyond that waits here, in the order in which it came.
 */
export class InFlight {
  readonly #most: number
  #count = 0
  #waiting: (() => void)[] = []
  /** Of the first that still waits. */
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  /** At once where there is room. */
  send<T>(request: () => Promise<T>): Promise<T> {
    if (this.#count < this.#most) return this.#begin(request)
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#begin(request)))
    })
  }

  async #begin<T>(request: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await request()
    } finally {
      this.#count--
      this.#admit()
    }
  }

  #admit(): void {
    const next = this.#waiting[this.#next]
    if (!next) return
    this.#next++
    if (this.#next === this.#waiting.length) {
      this.#waiting = []
      this.#next = 0
    }
    next()
  }
}

const ofClients = new WeakMap<Client, InFlight>()

/** One for a client, whoever uses it. A connection is enough to go by: there is at least one to each node. */
export function inFlightOf(client: Client): InFlight {
  let inFlight = ofClients.get(client)
  if (!inFlight) {
    const { options } = client as unknown as { readonly options?: { readonly pooling?: Pooling } }
    const most = options?.pooling?.maxRequestsPerConnection ?? PER_CONNECTION
    ofClients.set(client, (inFlight = new InFlight(Math.max(1, Math.floor(most * SHARE)))))
  }
  return inFlight
}
