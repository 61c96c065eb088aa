import { describe, expect, it } from 'vitest'
import { InFlight } from '../../src/driver/sending.js'

/** Requests that end when the test says so. */
function requests(max: number) {
  const inFlight = new InFlight(max)
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const send = (name: string): Promise<string> =>
    inFlight.send(() => {
      begun.push(name)
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)))
      })
    })
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)!(error)
    await new Promise((done) => setImmediate(done))
  }
  return { begun, send, end }
}

describe('InFlight', () => {
  it('sends at most the maximum number of requests at once, in the order of the calls', async () => {
    const { begun, send, end } = requests(2)
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(send))
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('c')
    await end('a')
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    await end('e')
    await end('d')
    expect(await all).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('sends the next request after a request fails, whether or not the failed request was sent', async () => {
    const { begun, send, end } = requests(1)
    const failing = send('a')
    const next = send('b')
    void end('a', new Error('lost'))
    await expect(failing).rejects.toThrow('lost')
    await end('b')
    expect(await next).toBe('b')
    const inFlight = new InFlight(1)
    const refused = inFlight.send(() => {
      throw new Error('not sent')
    })
    await expect(refused).rejects.toThrow('not sent')
    expect(await inFlight.send(async () => 'c')).toBe('c')
    expect(begun).toEqual(['a', 'b'])
  })
})
