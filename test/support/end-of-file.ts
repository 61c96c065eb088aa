// Test files on an engine share their imports, because importing takes longer than most files: the state of a module is kept for
// the next file. So code that creates something for one file registers its removal here.

const ends: (() => unknown)[] = []

/** Runs this once, when the present test file has ended. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** Runs everything that was registered since the last file, also if some of it fails. */
export async function endFile(): Promise<void> {
  const outcomes = await Promise.allSettled(ends.splice(0).map(async (end) => end()))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
}
