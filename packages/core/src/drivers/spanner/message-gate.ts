import { CallHandle, type TransportCall } from './transport-call.js'

/**
 * Holds a streaming call back. The client buffers some two hundred messages of a megabyte each before it stops reading, and
 * gives up on a reader that is slow. The transport itself reads a message when it is told to.
 */
export class MessageGate extends CallHandle {
  #isOpen = true
  #held: (() => void) | undefined

  open(): void {
    this.#isOpen = true
    const held = this.#held
    this.#held = undefined
    held?.()
  }

  shut(): void {
    this.#isOpen = false
  }

  override cancel(): void {
    this.#held = undefined
    super.cancel()
  }

  protected override guarded(call: TransportCall): TransportCall {
    const read = call.startRead.bind(call)
    call.startRead = () => {
      if (this.#isOpen) read()
      else this.#held = read
    }
    this.#held = undefined
    return call
  }
}
