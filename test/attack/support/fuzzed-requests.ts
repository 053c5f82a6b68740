import type { Random } from '../../../fixtures/random.ts'
import type { DescribedOperation } from './described-operations.ts'

/** A request that is nearly correct. */
export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** Where the client breaks the connection, if it does. */
  readonly cut: 'in its body' | 'in the answer' | undefined
}

/** Names that exist and values that are valid, so that fuzzed requests reach deep code. */
export interface Known {
  /** Values by the name of their parameter. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Headers with credentials. */
  readonly credentials: readonly Readonly<Record<string, string>>[]
  readonly bodies: readonly unknown[]
}

type Json = unknown

const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '*',
    '*a*',
    '\u0000',
    '\ud800',
    '\uffff',
    '\u202e',
    'İ',
    '1e999',
    '-0',
    'NaN',
    'null',
  ],
  ...['__proto__', 'constructor', 'toString', "'; DROP TABLE x --", '%00', '%', '../../etc/passwd'],
  ...['..', '.', '/', '<b>', '2020-02-30', '{{a}}', '[]', '{}', 'x'.repeat(3000), '['.repeat(2000)],
]
const ODD_VALUES: readonly Json[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 60, -1e-320, [], {}, [[]], [{}], [null]],
  ...[{ op: 'in' }, { op: 'and', content: [] }, [[['a']]], { length: 5 }, 'x'.repeat(5000)],
]
const RANGES = [
  ...['bytes=0-0', 'bytes=-1', 'bytes=5-', 'bytes=100-50', 'bytes=0-99999999999999999999'],
  ...['bytes=0-1,5-9', 'bytes=', 'lines=1-2', 'bytes=a-b', `bytes=${'0-0,'.repeat(300)}1-1`],
]
const TYPES = [
  ...['application/json', 'application/json', 'text/tsv', 'text/plain', 'text/csv', 'text/yaml'],
  ...['application/x-www-form-urlencoded', 'application/octet-stream', 'multipart/form-data'],
  ...['application/x-ndjson', 'application/json; charset=utf-7', 'x', ''],
]
const OTHER_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['accept-encoding', ['identity', 'gzip', 'br', 'zstd', 'deflate', '*;q=0', 'gzip;q=x', '']],
  ['if-none-match', ['*', '"x"', 'W/"x"', '"']],
  ['if-match', ['*', '"1"', 'x', '"']],
  ['if-range', ['"x"', 'Wed, 21 Oct 2015 07:28:00 GMT']],
  ['content-encoding', ['gzip', 'identity', 'x']],
  ['content-md5', ['x', 'AAAA']],
  ['x-request-id', ['x', 'é'.repeat(3)]],
  ['origin', ['http://a.b', 'null']],
]

/** An endless sequence of requests, which the seed determines. */
export class FuzzedRequests {
  readonly #random: Random
  readonly #operations: readonly DescribedOperation[]
  readonly #known: Known

  constructor(random: Random, operations: readonly DescribedOperation[], known: Known) {
    this.#random = random
    this.#operations = operations
    this.#known = known
  }

  next(): FuzzedRequest {
    const operation = this.#pick(this.#operations)
    const method = this.#chance(0.95)
      ? operation.method
      : this.#pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    const takesBody = operation.bodyTypes.length > 0 || !['GET', 'HEAD'].includes(operation.method)
    const body = this.#chance(takesBody ? 0.9 : 0.03) ? this.#body() : undefined
    const type = this.#chance(0.8) ? operation.bodyTypes[0] : this.#pick(TYPES)
    return {
      method,
      target: this.#target(operation),
      body,
      headers: {
        ...this.#headers(),
        ...(body !== undefined && type !== undefined && { 'content-type': type }),
      },
      cut: this.#cut(body),
    }
  }

  #chance(probability: number): boolean {
    return this.#random.chance(probability)
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)] as Item
  }

  #cut(body: Buffer | undefined): FuzzedRequest['cut'] {
    if (!this.#chance(0.02)) return undefined
    return body !== undefined && this.#chance(0.5) ? 'in its body' : 'in the answer'
  }

  #target({ path, parameters }: DescribedOperation): string {
    const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => encoded(this.#value(name)))
    const query = parameters
      .filter((one) => one.in === 'query' && this.#chance(0.35))
      .flatMap(({ name, values }) => {
        const pair = `${name}=${encoded(this.#value(name, values))}`
        return this.#chance(0.05) ? [pair, pair] : [pair]
      })
    if (this.#chance(0.05)) query.push(`${encoded(this.#pick(ODD_TEXTS))}=${encoded(this.#text())}`)
    const prefix = this.#chance(0.05) ? this.#pick(['/v0', '/legacy', '/']) : ''
    return `${prefix}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  }

  #value(name: string, described: readonly string[] = []): string {
    const known = this.#known.values[name] ?? []
    const likely = [...known, ...described]
    return likely.length > 0 && this.#chance(0.8) ? this.#spoiled(this.#pick(likely)) : this.#text()
  }

  #text(): string {
    const names = Object.values(this.#known.values)
    return this.#chance(0.5) ? this.#pick(this.#pick(names)) : this.#pick(ODD_TEXTS)
  }

  /** Sometimes makes the smallest possible mistake in a text. */
  #spoiled(text: string): string {
    if (!this.#chance(0.1)) return text
    const at = this.#random.below(text.length + 1)
    const insert = this.#chance(0.5) ? this.#pick(['"', '{', ',', ':', '\\', '.', '&', '%']) : ''
    return text.slice(0, at) + insert + text.slice(at + (this.#chance(0.5) ? 1 : 0))
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {}
    if (this.#chance(0.85)) Object.assign(headers, this.#pick(this.#known.credentials))
    if (this.#chance(0.1)) headers.range = this.#pick(RANGES)
    for (const [name, values] of OTHER_HEADERS) {
      if (this.#chance(0.05)) headers[name] = this.#pick(values)
    }
    // Headers that no HTTP client can send are tested elsewhere.
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replaceAll(/[^\x20-\x7e]/g, '?'),
      ]),
    )
  }

  #body(): Buffer {
    if (this.#chance(0.05)) return Buffer.from(this.#pick(ODD_TEXTS))
    const right = this.#pick(this.#known.bodies)
    let text = typeof right === 'string' ? right : JSON.stringify(this.#mutated(right))
    if (this.#chance(0.1)) text = this.#spoiled(text)
    if (this.#chance(0.02)) text = text.slice(0, this.#random.below(text.length))
    return Buffer.from(text)
  }

  /** Returns a copy with up to three members replaced. */
  #mutated(json: Json): Json {
    const copy = structuredClone(json)
    for (let left = this.#random.below(4); left > 0; left--) {
      const places = placesIn(copy)
      if (places.length === 0) break
      const [holder, name] = this.#pick(places)
      const how = this.#random.below(5)
      if (how === 0) delete holder[name]
      else if (how === 1) holder[`${name}_`] = holder[name]
      else holder[name] = this.#chance(0.5) ? this.#text() : structuredClone(this.#pick(ODD_VALUES))
    }
    return copy
  }
}

function placesIn(json: Json): [Record<string, Json>, string][] {
  if (typeof json !== 'object' || json === null) return []
  const holder = json as Record<string, Json>
  return Object.keys(holder).flatMap((name) => [
    [holder, name] as [Record<string, Json>, string],
    ...placesIn(holder[name]),
  ])
}

/** Encodes a text for a path or query; a lone surrogate has no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
