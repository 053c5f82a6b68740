import type { Random } from '../../../../fixtures/random.ts'

/** A request to the service. */
export interface MutatedRequest {
  readonly method: string
  /** The part of the URL after the host; contains only what an HTTP client can send. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

/** Names and ids that exist in a dataset. */
export interface KnownDataset {
  readonly name: string
  readonly fields: readonly string[]
  readonly groups: readonly string[]
  readonly values: readonly string[]
  readonly ids: readonly string[]
}

const OPERATORS = [
  ...['=', '!=', 'in', 'exclude', 'excludeifany', '<', '<=', '>', '>=', 'is', 'not', 'and', 'or'],
  ...['range', 'AND', 'NOT', 'In', '==', '', 'constructor', '__proto__', 'set'],
]

const ODD_TEXTS = [
  ...['', ' ', '*', '**', '*a*b*', '?', '\u0000', '\ud800', '\uffff', '\u202e', 'ÄÖ', 'İ', '1e5'],
  ...[
    '-0',
    '1e999',
    'NaN',
    'null',
    'MISSING',
    'missing',
    '__proto__',
    'toString',
    '[object Object]',
  ],
  ...['true', 'FALSE', '0x10', '1,2', "'; DROP TABLE", '%00', '../../etc', '<b>', '2020-02-30'],
]

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 60, -1e-320, [], {}, [[]], [{}]],
  ...[[null], ['a', 1, null], { a: 1 }, { op: 'in' }, [[['a']]], { length: 5 }, 'x'.repeat(5000)],
]

const FORMATS = ['json', 'TSV', 'xml', 'ndjson', 'Json', 'tsv', 'csv', 'arrow', 'XML', 'Arrow']

/** Requests that are nearly correct, each in one of many ways. */
export class Mutations {
  readonly #random: Random
  readonly #datasets: readonly KnownDataset[]
  #known: KnownDataset

  constructor(random: Random, datasets: readonly [KnownDataset, ...KnownDataset[]]) {
    this.#random = random
    this.#datasets = datasets
    this.#known = datasets[0]
  }

  /** Returns the next request of a sequence that the seed determines. */
  next(): MutatedRequest {
    this.#known = this.#pick(this.#datasets)
    const method = this.#chance(0.9)
      ? this.#pick(['GET', 'POST', 'POST', 'GET', 'HEAD'])
      : this.#pick(['OPTIONS', 'PUT', 'DELETE', 'PATCH'])
    const hasBody = !['GET', 'HEAD'].includes(method)
    const parameters = this.#parameters()
    const inBody = hasBody && this.#chance(0.9)
    const query = inBody
      ? this.#chance(0.1)
        ? this.#query(this.#parameters())
        : ''
      : this.#query(parameters)
    const { body, type } = inBody ? this.#body(parameters) : { body: undefined, type: undefined }
    return {
      method,
      target: `${this.#path()}${query === '' ? '' : `?${query}`}`,
      headers: { ...this.#headers(), ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    }
  }

  #chance(probability: number): boolean {
    return this.#random.chance(probability)
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)] as Item
  }

  #path(): string {
    const { name, ids } = this.#known
    const dataset = this.#chance(0.97) ? name : this.#oddSegment()
    const rest = this.#random.unit()
    const id = () => (this.#chance(0.6) ? encodeURIComponent(this.#pick(ids)) : this.#oddSegment())
    let path = `/${dataset}`
    if (rest > 0.98) path += `/${id()}/${id()}`
    else if (rest > 0.83) path += `/${id()}`
    else if (rest > 0.8) path += '/ids'
    else if (rest > 0.79) path += '/_mapping'
    else if (rest > 0.78)
      path = this.#pick(['/status', '/all', '/notifications', '/quick_search', '/'])
    if (this.#chance(0.1)) path = path.replaceAll('/', '//')
    if (this.#chance(0.1)) path += '/'
    return this.#chance(0.1) ? `${this.#pick(['/v0', '/v1', '/legacy', '//v0/'])}${path}` : path
  }

  #oddSegment(): string {
    const odd = ['%', '%zz', '%FF', '%00', '%2F', '..', '.', '%0A', ':x', '*', '{id}', '_x', 'ids']
    return this.#chance(0.5) ? this.#pick(odd) : encoded(this.#text())
  }

  /** Mostly the dataset of the request; otherwise another one, whose names are unknown to the request's. */
  #anyone(): KnownDataset {
    return this.#chance(0.97) ? this.#known : this.#pick(this.#datasets)
  }

  #text(): string {
    const { fields, values, ids, groups } = this.#anyone()
    const source = this.#pick([fields, values, ids, groups, ODD_TEXTS])
    const text = this.#pick(source)
    return this.#chance(0.1) ? this.#spoiled(text) : text
  }

  /** Makes the smallest possible mistake in a text. */
  #spoiled(text: string): string {
    const at = this.#random.below(text.length + 1)
    const odd = this.#pick([...ODD_TEXTS, '"', '{', '}', ',', ':', '[', ']', '\\', '.', '&', '%'])
    switch (this.#random.below(5)) {
      case 0:
        return text.slice(0, at)
      case 1:
        return text.slice(0, at) + odd + text.slice(at)
      case 2:
        return text.slice(0, at) + text.slice(at + 1)
      case 3:
        return text + text.slice(at)
      default:
        return text.slice(0, at) + odd + text.slice(at + 1)
    }
  }

  #parameters(): Record<string, unknown> {
    const given: Record<string, unknown> = {}
    const add = (name: string, probability: number, make: () => unknown) => {
      if (this.#chance(probability)) given[name] = this.#chance(0.03) ? this.#oddValue() : make()
    }
    add('filters', 0.7, () => this.#filter(0))
    add('case_filters', 0.05, () => this.#filter(0))
    add('fields', 0.4, () => this.#names(this.#anyone().fields))
    add('expand', 0.3, () => this.#names(this.#anyone().groups))
    add('facets', 0.25, () => this.#names(this.#anyone().fields))
    add('sort', 0.2, () =>
      this.#names(
        this.#anyone().fields,
        this.#pick(['', ':asc', ':desc', ':asc', ':desc', ':DESC', ':x']),
      ),
    )
    add('size', 0.6, () => this.#count())
    add('from', 0.3, () => this.#count())
    // Parquet takes a hundred times as long as the other formats.
    add('format', 0.25, () => (this.#chance(0.01) ? 'parquet' : this.#pick(FORMATS)))
    add('pretty', 0.15, () => this.#pick(['true', 'FALSE', true, '', 'yes']))
    add('return_type', 0.03, () => this.#pick(['manifest', 'Manifest', 'list']))
    add('attachment', 0.1, () => this.#pick(['true', 'false', 'x']))
    add('filename', 0.1, () => this.#text())
    add('query', 0.1, () => this.#text())
    add(this.#text(), 0.1, () => this.#oddValue())
    return given
  }

  #count(): unknown {
    const odd = [
      -1,
      1.5,
      '1e5',
      '1e+05',
      '00',
      '',
      ' 3 ',
      '1e400',
      100_000_000,
      '99999999999999999999',
    ]
    return this.#chance(0.92) ? this.#pick([0, 1, 2, '3', 10, '20']) : this.#pick(odd)
  }

  #names(source: readonly string[], suffix = ''): unknown {
    const names = Array.from({ length: this.#random.below(4) + 1 }, () =>
      this.#chance(0.9) ? this.#pick(source) + suffix : this.#text(),
    )
    return this.#chance(0.5) ? names.join(',') : names
  }

  #oddValue(): unknown {
    return this.#chance(0.5) ? this.#text() : this.#pick(ODD_VALUES)
  }

  #filter(depth: number): unknown {
    if (this.#chance(0.02)) return this.#oddValue()
    if (this.#chance(0.002)) return this.#deep()
    const isGroup = depth < 4 && this.#chance(depth === 0 ? 0.5 : 0.3)
    const op = this.#chance(0.95)
      ? this.#pick(isGroup ? ['and', 'or'] : OPERATORS.slice(0, 11))
      : this.#pick(OPERATORS)
    const content = isGroup
      ? Array.from({ length: this.#random.below(4) }, () => this.#filter(depth + 1))
      : this.#leaf()
    const whole: Record<string, unknown> = { op, content }
    if (this.#chance(0.03)) delete whole[this.#pick(['op', 'content'])]
    if (this.#chance(0.02)) whole[this.#text()] = this.#oddValue()
    return whole
  }

  #leaf(): unknown {
    const field = this.#chance(0.95) ? this.#pick(this.#anyone().fields) : this.#text()
    const prefix = this.#chance(0.1) ? `${this.#anyone().name}.` : ''
    const leaf: Record<string, unknown> = { field: `${prefix}${field}`, value: this.#value() }
    if (this.#chance(0.05)) delete leaf[this.#pick(['field', 'value'])]
    return this.#chance(0.02)
      ? { ranges: [{ from: this.#value(), to: this.#value() }], ...leaf }
      : leaf
  }

  #value(): unknown {
    if (this.#chance(0.04)) return this.#pick(ODD_VALUES)
    if (this.#chance(0.2)) return this.#random.below(100_000) - 1000
    const text = this.#text()
    if (this.#chance(0.5)) return text
    return Array.from({ length: this.#random.below(6) }, () => this.#text())
  }

  /** Nests or repeats a value beyond the limits. */
  #deep(): unknown {
    let filter: unknown = this.#leaf()
    const levels = this.#pick([31, 32, 33, 60, 100])
    for (let i = 0; i < levels; i++)
      filter = { op: this.#pick(['and', 'or', 'not']), content: [filter] }
    if (this.#chance(0.7)) return filter
    const values = Array.from({ length: 11_000 }, (_, i) => `v${i}`)
    return { op: 'in', content: { field: this.#pick(this.#known.fields), value: values } }
  }

  #query(parameters: Readonly<Record<string, unknown>>): string {
    const pairs = Object.entries(parameters).map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const spoiled = this.#chance(0.05) ? this.#spoiled(text) : text
      const once = encoded(spoiled)
      return `${encoded(name)}=${this.#chance(0.03) ? encoded(once) : once}`
    })
    if (this.#chance(0.1)) pairs.unshift('')
    if (this.#chance(0.05)) pairs.push(this.#pick(pairs), '%', '=', '&&')
    const query = pairs.join('&')
    // Node rejects longer heads itself; server/main.test.ts tests those.
    return query.length > 30_000 ? query.slice(0, 30_000) : query
  }

  #body(parameters: Readonly<Record<string, unknown>>) {
    const types = ['application/json', 'application/json', 'application/x-www-form-urlencoded', '']
    const odd = ['text/plain', 'application/JSON; charset=utf-16', 'multipart/form-data', '/;', 'x']
    const type = this.#chance(0.9) ? this.#pick(types) : this.#pick(odd)
    const isForm = type.endsWith('urlencoded') && this.#chance(0.9)
    const asText = this.#chance(0.2)
    const members = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        asText && typeof value !== 'string' ? JSON.stringify(value) : value,
      ]),
    )
    const text = isForm ? this.#query(parameters) : JSON.stringify(members)
    const bytes = new TextEncoder().encode(this.#chance(0.1) ? this.#spoiled(text) : text)
    while (this.#chance(0.03) && bytes.length > 0) {
      bytes[this.#random.below(bytes.length)] = this.#random.below(256)
    }
    return { body: bytes, type: type === '' ? undefined : type }
  }

  #headers(): Record<string, string> {
    const codings = ['gzip', 'br', 'zstd', 'gzip, br;q=0.5', '*', 'identity', ';;q=,', 'x;q=9']
    const types = [
      ...[
        '*/*',
        'application/json',
        'text/html,application/xml;q=0.9,*/*;q=0.8',
        'application/xml',
      ],
      ...[
        'application/x-ndjson',
        'text/tab-separated-values',
        ',,;q',
        'application/vnd.apache.parquet',
      ],
    ]
    const tags = ['"x"', 'W/"x", "y"', '*', '"', 'x']
    return {
      ...(this.#chance(0.4) ? { 'accept-encoding': this.#pick(codings) } : {}),
      ...(this.#chance(0.4) ? { accept: this.#pick(types) } : {}),
      ...(this.#chance(0.1) ? { 'if-none-match': this.#pick(tags) } : {}),
      ...(this.#chance(0.05) ? { 'x-auth-token': 'no-token' } : {}),
      ...(this.#chance(0.02) ? { range: 'bytes=0-10' } : {}),
    }
  }
}

/** Percent-encodes a text, replacing lone surrogates. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
