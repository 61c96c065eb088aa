// Test files on an engine share what they import, which would take longer than most of them: what a module keeps is there for the
// next file too. So whoever makes something for one file says here how it goes again.

const ends: (() => unknown)[] = []

/** Runs this once, when the test file that runs now is through. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** Does what has been asked for since the last file, all of it, whatever fails. */
export async function endFile(): Promise<void> {
  const outcomes = await Promise.allSettled(ends.splice(0).map(async (end) => end()))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
}
