import { CommandError } from '../command-error.js'

// Questions to the user at the terminal. Ctrl+C at any of them ends the command, and so does Ctrl+D, the end of input.
// Nothing has been done by then.

const END_OF_INPUT = '\u0004'

interface Choice<Value> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

export async function ask(
  message: string,
  initial: string,
  problem: (text: string) => string | undefined,
): Promise<string> {
  const { text } = await prompts()
  return answered(
    await text({
      message,
      placeholder: initial,
      defaultValue: initial,
      validate: (value) => problem(value === undefined || value === '' ? initial : value),
    }),
  )
}

/** The first choice is selected at first. */
export async function choose<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
  const { select } = await prompts()
  // By number: the library may not be able to compare the values.
  const options = choices.map(({ label, hint }, value) => ({
    value,
    label,
    ...(hint !== undefined && { hint }),
  }))
  return choices[answered(await select({ message, options }))]!.value
}

/** The default answer is no: a user who only presses Enter loses nothing. */
export async function confirm(message: string): Promise<boolean> {
  const { confirm: ask } = await prompts()
  return answered(await ask({ message, initialValue: false }))
}

/** Goes on only once this name was typed: an answer that no habit gives. */
export async function typeToConfirm(message: string, name: string): Promise<void> {
  const { text } = await prompts()
  answered(
    await text({
      message,
      validate: (value) => (value?.trim() === name ? undefined : `That is not ${name}. Ctrl+C cancels.`),
    }),
  )
}

async function prompts(): Promise<typeof import('@clack/prompts')> {
  const library = await import('@clack/prompts')
  // Without this, the library would wait for an answer that can no longer come.
  library.updateSettings({ aliases: { [END_OF_INPUT]: 'cancel' } })
  return library
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<Answer, symbol>
  throw new CommandError('CANCELLED', 'Cancelled. Nothing was done.')
}
