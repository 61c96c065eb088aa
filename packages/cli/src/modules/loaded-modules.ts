import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'

/**
 * The ES modules that `import` or `require` has loaded. Where the hooks for `import` have a thread of their own, each of the two
 * would evaluate such a module for itself, and its models would be other classes: so each tells the other what it has loaded.
 */
export class LoadedModules {
  readonly #port: MessagePort
  readonly #byOther = new Set<string>()

  constructor(port: MessagePort) {
    this.#port = port
  }

  add(path: string): void {
    this.#port.postMessage(path)
  }

  /** Whether the other thread has loaded this file. */
  hasOther(path: string): boolean {
    let received: { readonly message: string } | undefined = receiveMessageOnPort(this.#port)
    for (; received; received = receiveMessageOnPort(this.#port)) this.#byOther.add(received.message)
    return this.#byOther.has(path)
  }
}
