/** A mistake of the one who runs the demo: shown as one line, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
