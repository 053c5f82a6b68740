import { EngineError } from '../../engine/index.ts'

/**
 * The whole request body, never holding more than the limit.
 * @throws EngineError `too_large` as soon as the limit is known to be passed
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  if (request.body === null) return new Uint8Array(0)
  // Not cancelled when too much comes: that would destroy the socket before the 413 is written.
  // The adapter drains what is left, within bounds of its own.
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks, length)
    length += value.byteLength
    if (length > limit) throw tooLarge(limit)
    chunks.push(value)
  }
}

function tooLarge(limit: number): EngineError {
  return new EngineError('too_large', `the request body is larger than the limit of ${limit} bytes`)
}

/** Parameters of a JSON or form body by name. An empty body has none. */
export function parseParameters(body: Uint8Array, contentType: string): Record<string, unknown> {
  const text = decodeText(body)
  if (text.trim() === '') return {}
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  // curl labels every `-d` body as a form, and some clients send no label at all (contract 2.1).
  // No form starts with a brace, so a body that does is meant as JSON.
  const looksLikeJson = /^\s*[{[]/.test(text)
  if (/^application\/([\w.+-]+\+)?json$/.test(type) || looksLikeJson) return parseJsonObject(text)
  if (type === '' || type === 'application/x-www-form-urlencoded') {
    return collect(new URLSearchParams(text))
  }
  throw new EngineError(
    'bad_input',
    'the content type of the body is not accepted; send application/json or application/x-www-form-urlencoded',
    { at: 'content-type' },
  )
}

/** Names with their texts: one text, or an array when the name is repeated. Nameless ones drop. */
export function collect(pairs: URLSearchParams): Record<string, string | string[]> {
  const found = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    if (name === '') continue
    const before = found.get(name)
    if (before === undefined) found.set(name, value)
    else if (typeof before === 'string') found.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(found)
}

function decodeText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new EngineError('bad_input', 'the body is not valid UTF-8', { at: 'body', cause })
  }
}

function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new EngineError('bad_input', 'the body is JSON but not an object of parameters', {
      at: 'body',
    })
  }
  // null means absent; clients serialise unset fields that way.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message quotes the body, which may hold health data: it stays in the cause.
    throw new EngineError('bad_input', 'the body is not valid JSON', { at: 'body', cause })
  }
}
