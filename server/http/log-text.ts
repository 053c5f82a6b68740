/**
 * Formats a log line for people: time (UTC), level, message, and the rest as `name=value`, followed by the
 * stack of an error. Control characters are removed, so that nothing moves the cursor of a terminal.
 */
export function logText(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const { stack, ...error } = isRecord(err) ? err : {}
  const facts = Object.entries({ ...rest, ...(Object.keys(error).length > 0 && { err: error }) })
  const words = [
    `${String(time).slice(11, 19)}Z`,
    String(level).padEnd(5),
    ...(msg === undefined ? [] : [plain(String(msg))]),
    ...facts.map(([name, value]) => `${name}=${shown(value)}`),
  ]
  const below =
    typeof stack === 'string' ? stack.split('\n').map((each) => `  ${plain(each)}\n`) : []
  return [`${words.join(' ')}\n`, ...below].join('')
}

/** Formats a value. Plain words stay as they are, all other values become JSON with escapes. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@{}*-]+$/.test(value)
    ? value
    : plain(JSON.stringify(value) ?? '')
}

const plain = (text: string) => text.replace(/\p{Cc}+/gu, ' ')

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
