import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createLog } from './log.ts'

/** Returns what a log of the given format writes to a terminal or to a file. */
function written(format: string, isTTY: boolean, say: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = []
  const config = readConfig({ environment: { CASEMILL_LOG_FORMAT: format } })
  say(createLog(config, { isTTY, write: (line: string) => void lines.push(line) }))
  return lines.join('')
}

const hello: Parameters<typeof written>[2] = (log) =>
  log.info({ route: '/files/{id}', status: 200, agent: 'a "b"', token: 'secret' }, 'request')

test.each([
  ['', true, 'text'],
  ['', false, 'json'],
  ['text', false, 'text'],
  ['json', true, 'json'],
])('format "%s" with a terminal: %s, is %s', (format, isTTY, form) => {
  const line = written(format, isTTY, hello)
  if (form === 'json') {
    expect(JSON.parse(line)).toMatchObject({ level: 'info', route: '/files/{id}', msg: 'request' })
  } else {
    expect(line).toMatch(
      /^\d\d:\d\d:\d\dZ info {2}request route=\/files\/{id} status=200 agent="a \\"b\\"" token="\[redacted\]"\n$/,
    )
  }
  expect(line).not.toContain('secret')
})

test('an error has its stack below its line, and nothing that moves a cursor', () => {
  const error = Object.assign(new TypeError('a \u001b[2Jbug'), { code: 'E' })
  const [first, second, ...rest] = written('text', true, (log) =>
    log.error({ err: error }, 'it\r\nfailed'),
  ).split('\n')
  expect(first).toMatch(
    /^\S+ error it failed err=\{"type":"TypeError","message":"a \\u001b\[2Jbug"/,
  )
  expect(second).toBe('  TypeError: a  [2Jbug')
  expect(rest[0]).toMatch(/^ {2} +at /)
  expect([first, second, ...rest].join('')).not.toMatch(/\p{Cc}/u)
})

test('a format that there is not is refused', () => {
  expect(() => written('jsn', true, hello)).toThrow(
    'setting CASEMILL_LOG_FORMAT: "jsn" is not accepted; expected one of auto, json, text; did you mean "json"?',
  )
})
