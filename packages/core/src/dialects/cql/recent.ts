/**
 * What was made not long ago, by name: as many as are kept, after which the one that was made first is made again when it is
 * asked for.
 */
export class Recent<T> {
  readonly #most: number
  readonly #made = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(name: string, make: () => T): T {
    let value = this.#made.get(name)
    if (value !== undefined) return value
    value = make()
    if (this.#made.size >= this.#most) {
      for (const first of this.#made.keys()) {
        this.#made.delete(first)
        break
      }
    }
    this.#made.set(name, value)
    return value
  }
}
