import { closest, distance } from 'fastest-levenshtein'

/** The known word that was probably meant; undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const lower = word.toLowerCase()
  const best = closest(
    lower,
    known.map((each) => each.toLowerCase()),
  )
  const found = known.find((each) => each.toLowerCase() === best)!
  // More than a third of a word wrong is another word.
  return distance(lower, best) <= Math.max(1, Math.floor(best.length / 3)) ? found : undefined
}

/** `Did you mean schema?`, or else all that there is. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`
}
