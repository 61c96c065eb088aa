import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatLine } from '../src/log/format-line.js'
import { parseLine } from '../src/log/parse-line.js'
import { requests } from './requests.js'

const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 })

describe('a formatted request is parsed back', () => {
  test('from the combined form', () => {
    fc.assert(
      fc.property(requests, offsets, (request, offsetMinutes) => {
        expect(parseLine(formatLine(request, { offsetMinutes }))).toEqual(request)
      }),
    )
  })

  test('from the common form, without referrer and agent', () => {
    fc.assert(
      fc.property(requests, offsets, (request, offsetMinutes) => {
        const line = formatLine(request, { form: 'common', offsetMinutes })
        expect(parseLine(line)).toEqual({ ...request, referrer: null, agent: null })
      }),
    )
  })
})

const plain = '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 7 "-" "curl/8"'

describe('what real logs hold', () => {
  const expected = {
    time: new Date('2015-05-17T10:05:03Z'),
    client: '192.0.2.1',
    method: 'GET',
    path: '/a',
    status: 200n,
    bytes: 7n,
    referrer: null,
    agent: 'curl/8',
  }

  test.each([
    ['the plain case', plain, {}],
    ['an ident and a user', plain.replace('- -', 'id frank'), {}],
    ['IPv6', plain.replace('192.0.2.1', '2001:db8::1'), { client: '2001:db8::1' }],
    ['a host name', plain.replace('192.0.2.1', 'a.example.net'), { client: 'a.example.net' }],
    ['a time zone east', plain.replace('+0000', '+0530'), { time: new Date('2015-05-17T04:35:03Z') }],
    ['a time zone west', plain.replace('+0000', '-0700'), { time: new Date('2015-05-17T17:05:03Z') }],
    ['no body', plain.replace(' 7 ', ' - '), { bytes: null }],
    ['no protocol', plain.replace(' HTTP/1.1', ''), {}],
    ['HTTP/2', plain.replace('HTTP/1.1', 'HTTP/2.0'), {}],
    ['a path with spaces', plain.replace('/a', '/a b  c'), { path: '/a b  c' }],
    ['a quote in the agent', plain.replace('curl/8', String.raw`a \"b\" \\`), { agent: 'a "b" \\' }],
    ['escaped UTF-8', plain.replace('/a', String.raw`/caf\xc3\xa9`), { path: '/café' }],
    ['an escape that there is not', plain.replace('/a', String.raw`/\q\xzz`), { path: String.raw`/\q\xzz` }],
    ['a request line of `-`', plain.replace('GET /a HTTP/1.1', '-'), { method: null, path: '-' }],
    [
      'a TLS client',
      plain.replace('GET /a HTTP/1.1', String.raw`\x16\x03\x01`),
      { method: null, path: '\x16\x03\x01' },
    ],
    ['an empty request line', plain.replace('GET /a HTTP/1.1', ''), { method: null, path: '' }],
    ['further fields at the end', `${plain} 1234 "more"`, {}],
    ['a line cut off in its agent', plain.slice(0, -3), { agent: 'curl' }],
  ])('%s', (_what, line, differs) => {
    expect(parseLine(line)).toEqual({ ...expected, ...differs })
  })
})

test.each([
  ['nothing', ''],
  ['other text', 'a stack trace'],
  ['no request', '192.0.2.1 - - [17/May/2015:10:05:03 +0000]'],
  ['a date that there is not', plain.replace('17/May', '31/Apr')],
  ['a month that there is not', plain.replace('May', 'Mai')],
  ['an hour that there is not', plain.replace(':10:', ':24:')],
  ['an offset that there is not', plain.replace('+0000', '+0090')],
  ['a time before the calendar', plain.replace('2015', '0000')],
  ['a time after the calendar', plain.replace('17/May/2015:10', '31/Dec/9999:23').replace('+0000', '-0200')],
  ['a status that is not a number', plain.replace('200', 'OK')],
  ['more bytes than 64 bits hold', plain.replace(' 7 ', ' 9223372036854775808 ')],
  ['a quote that is not escaped', plain.replace('/a', '/"a')],
  ['a referrer without an agent', plain.replace(' "curl/8"', '')],
  ['something behind the common form', plain.replace('"-" "curl/8"', 'x')],
  ['a line longer than any request', plain.replace('/a', `/${'a'.repeat(100_000)}`)],
])('is not a log line: %s', (_what, line) => {
  expect(parseLine(line)).toBeUndefined()
})

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(plain.length), (junk, at) => {
      for (const line of [junk, plain.slice(0, at) + junk + plain.slice(at)]) {
        expect(() => parseLine(line)).not.toThrow()
      }
    }),
  )
})

// The test's time limit would be over, were the time to grow with the square of the length.
test('the time a hostile line takes grows with its length only', () => {
  for (const unit of ['\\', '"', '\\"', ' ', '" "', '- ', 'HTTP/1.1 ', ' HTTP/1.1']) {
    const long = unit.repeat(600_000 / unit.length)
    for (const line of [plain.replace('/a', `/${long}`), plain.replace('192.0.2.1', long)])
      expect(() => parseLine(line)).not.toThrow()
  }
})
