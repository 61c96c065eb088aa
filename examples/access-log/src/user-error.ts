/** A mistake that whoever runs the demo can mend: shown as one line, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
