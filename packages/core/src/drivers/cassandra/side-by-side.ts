/**
 * Runs jobs by their places from 0, some at a time, until all have run or no more are wanted.
 *
 * @param wanted asked before each job begins
 * @throws what a job throws; none begins after that.
 */
export async function sideBySide(
  count: number,
  most: number,
  job: (at: number) => Promise<void>,
  wanted: () => boolean = () => true,
): Promise<void> {
  let next = 0
  let failed = false
  const work = async (): Promise<void> => {
    while (next < count && !failed && wanted()) {
      try {
        await job(next++)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, most) }, work))
}
