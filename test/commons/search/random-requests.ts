import type { Dataset, FieldType } from '../../../engine/commons/datasets/define.ts'
import type { Random } from '../../../fixtures/random.ts'
import type { RelatedView } from './related-documents.ts'
import { type Asked, type Document, ownField } from './simple-evaluator.ts'

/** A field in use, with some of its values. */
interface Used {
  readonly path: string
  /** Whether the field is one of the dataset's own; only those can be sorted by. */
  readonly isOwn: boolean
  /** The names by which requests may call it. */
  readonly names: readonly string[]
  readonly type: FieldType
  readonly values: readonly unknown[]
}

/** The fields that the whole documents of a dataset hold, with their values. */
function usedFields(view: RelatedView, documents: readonly Document[]): readonly Used[] {
  const values = new Map<string, Set<unknown>>()
  const walk = (value: unknown, path: string) => {
    if (Array.isArray(value)) for (const member of value) walk(member, path)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        walk(inner, path === '' ? name : `${path}.${name}`)
      }
    } else if (value !== undefined) {
      values.set(path, (values.get(path) ?? new Set()).add(value))
    }
  }
  walk(documents, '')
  return [...values].flatMap(([path, found]) => {
    const names = view.names(path)
    const type = names[0] === undefined ? undefined : view.field(names[0])?.type
    const known = [...found].filter((value) => value !== null)
    const isOwn = ownField(view.dataset, path) !== undefined
    return type === undefined ? [] : [{ path, isOwn, names, type, values: known }]
  })
}

/** All fields of a dataset, used or not. */
function allFields(dataset: Dataset): readonly Used[] {
  const found: Used[] = []
  const walk = (tree: Dataset['fields'], prefix: string) => {
    for (const [name, node] of Object.entries(tree)) {
      if (typeof node === 'string') {
        const path = prefix + name
        found.push({ path, isOwn: true, names: [path], type: node, values: [] })
      } else walk(node, `${prefix}${name}.`)
    }
  }
  walk(dataset.fields, '')
  walk(dataset.hidden, '')
  return found
}

const isNumber = (type: FieldType) => type === 'long' || type === 'double' || type === 'float'

/** Fields with a genomic position. */
const PLACED = /\b(?:(?:start|end)_position|gene_(?:start|end))$/

const isDate = (path: string) => /_date(time)?$/.test(path)

const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/\bregistry_accession_number\b/, 'dbgap_accession_number'],
  [/\bcatalog_id\b/, 'cosmic_id'],
  [/\bagency_build\b/, 'ncbi_build'],
]

export type RelatedKind = 'cases' | 'genes' | 'region' | 'ssms'

/** Prefixes and suffixes of names that refer to other records and to places; the own name may stand in front. */
const KINDS: Readonly<Record<RelatedKind, RegExp>> = {
  cases: /^(?:\w+s\.)?cases?\./,
  genes: /^(?:\w+s\.)?genes?\./,
  region: /\bregion$/,
  ssms: /^(?:\w+s\.)?ssms?\./,
}

export const RELATED_KINDS = Object.keys(KINDS) as readonly RelatedKind[]

/** The kinds of related records that the names in a filter refer to. */
export function kindsOf(filters: unknown): readonly RelatedKind[] {
  const text = JSON.stringify(filters ?? '')
  const names = [...text.matchAll(/"field":"([^"]+)"/g)].map(([, name = '']) => name)
  return RELATED_KINDS.filter((kind) => names.some((name) => KINDS[kind].test(name)))
}

/** Draws requests for one dataset of one release. */
export class Requests {
  readonly #random: Random
  readonly #dataset: Dataset
  readonly #used: readonly Used[]
  readonly #all: readonly Used[]
  /** The fields that can be sorted by. */
  readonly #own: readonly Used[]
  readonly #related: readonly Used[]
  readonly #byLevel: readonly (readonly Used[])[]

  constructor(random: Random, view: RelatedView, documents: readonly Document[]) {
    this.#random = random
    this.#dataset = view.dataset
    this.#used = usedFields(view, documents)
    this.#all = allFields(view.dataset)
    this.#own = this.#used.filter(({ isOwn }) => isOwn)
    this.#related = this.#used.filter(({ isOwn }) => !isOwn)
    // Fields of a shared element, so that conditions on them are drawn together.
    const nested = this.#used.flatMap(({ names }) => view.field(names[0] ?? '')?.nested ?? [])
    this.#byLevel = [...new Set([...view.dataset.nested, ...nested])]
      .map((level) => this.#used.filter(({ path }) => path.startsWith(`${level}.`)))
      .filter((fields) => fields.length > 1)
  }

  next(): Asked {
    const random = this.#random
    const named: string[] = []
    const filters = random.chance(0.03) ? this.#empty() : this.#filter(0, this.#theme(), named)
    const facets = Array.from({ length: random.below(5) }, () =>
      named.length > 0 && random.chance(0.4)
        ? this.#pick(named)
        : this.#name(this.#field(undefined)),
    )
    const sort = Array.from(
      { length: random.below(4) },
      () =>
        this.#alias(this.#field(undefined, this.#own).path) +
        this.#pick(['', ':asc', ':desc', ':DESC']),
    )
    return {
      filters,
      facets: [...new Set(facets)],
      histograms: random.chance(0.3) ? this.#histograms() : [],
      sort,
      from: random.chance(0.6) ? 0 : random.below(12),
      size: random.chance(0.3) ? 1000 : random.below(15),
    }
  }

  /** A filter of several conditions, at least one on a field of other records or a region. */
  nested(kind: RelatedKind): Asked {
    const fits = (name: string) => KINDS[kind].test(name)
    const isPlace = kind === 'region'
    const about = this.#used.filter(({ path, names }) =>
      isPlace ? PLACED.test(path) : names.some(fits),
    )
    const named: string[] = []
    const own = () => {
      const field = this.#pick(about)
      if (isPlace) return this.#regions(field)
      const names = field.names.filter(fits)
      return this.#leaf([{ ...field, names }], named)
    }
    const others = Array.from({ length: 1 + this.#random.below(3) }, () =>
      this.#filter(1, this.#theme(), named),
    )
    const content = about.length === 0 ? others : [own(), ...others]
    const filters = { op: this.#pick(['and', 'or']), content }
    return { filters, facets: [], histograms: [], sort: [], from: 0, size: 1000 }
  }

  /** One or two histograms with different names. */
  #histograms(): readonly string[] {
    const fit = this.#used.filter(({ type, path }) => isNumber(type) || isDate(path))
    if (fit.length === 0) return []
    const chosen = Array.from({ length: 1 + this.#random.below(2) }, () => this.#pick(fit))
    const texts = chosen.map((field) => {
      const interval = isNumber(field.type)
        ? this.#pick(['0.5', '2', '10', '1e3'])
        : this.#pick(['year', 'month', 'day'])
      return [this.#name(field), interval] as const
    })
    return [...new Map(texts)].map((text) => text.join(':'))
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#random.below(values.length)] as T
  }

  #empty(): unknown {
    return this.#pick([undefined, null, '', {}])
  }

  #theme(): readonly Used[] | undefined {
    return this.#byLevel.length > 0 && this.#random.chance(0.6)
      ? this.#pick(this.#byLevel)
      : undefined
  }

  #field(theme: readonly Used[] | undefined, used = this.#used): Used {
    if (theme && this.#random.chance(0.85)) return this.#pick(theme)
    if (used === this.#used && this.#related.length > 0 && this.#random.chance(0.3)) {
      return this.#pick(this.#related)
    }
    return used.length > 0 && this.#random.chance(0.93) ? this.#pick(used) : this.#pick(this.#all)
  }

  /** Draws one of a field's names. Names from the record's own parts are as frequent as all others together. */
  #name({ names }: Used): string {
    const [first = ''] = names
    return this.#alias(this.#random.chance(0.5) ? first : this.#pick(names))
  }

  #alias(path: string): string {
    if (this.#random.chance(0.5)) return path
    return ALIASES.reduce((name, [ours, theirs]) => name.replace(ours, theirs), path)
  }

  #filter(depth: number, theme: readonly Used[] | undefined, named: string[]): unknown {
    const random = this.#random
    if (random.chance([0.2, 0.45, 0.7, 0.9][depth] ?? 1)) return this.#leaf(theme, named)
    const op = this.#pick(['and', 'and', 'and', 'or', 'AND', 'Or'])
    // Each alternative may have another subject.
    const content = Array.from({ length: 1 + random.below(4) }, () =>
      this.#filter(depth + 1, random.chance(0.8) ? theme : this.#theme(), named),
    )
    return { op, content }
  }

  #leaf(theme: readonly Used[] | undefined, named: string[]): unknown {
    const random = this.#random
    const field = this.#field(theme)
    if (PLACED.test(field.path) && random.chance(0.5)) return this.#regions(field)
    named.push(this.#name(field))
    const own = random.chance(0.2) ? `${this.#dataset.name}.` : ''
    const name = own + this.#name(field)
    const op = this.#pick([
      '=',
      'in',
      'in',
      'IN',
      '!=',
      'exclude',
      'Exclude',
      'excludeifany',
      'excludeIfAny',
      'is',
      'not',
      'not',
      '<',
      '<=',
      '>',
      '>=',
      'range',
    ])
    const lowered = op.toLowerCase()
    if (lowered === 'is' || (op === 'not' && random.chance(0.6))) {
      const value = this.#pick([undefined, 'MISSING', 'missing', ['Missing'], null, []])
      return { op, content: value === undefined ? { field: name } : { field: name, value } }
    }
    if (/[<>]/.test(op)) {
      const value = this.#value(field)
      return { op, content: { field: name, value: random.chance(0.3) ? [value] : value } }
    }
    if (op === 'range') return { op, content: this.#ranges(name, field) }
    const count = random.chance(0.6) ? 1 : random.below(5)
    const values = Array.from({ length: count }, () => this.#wild(field, this.#value(field)))
    const value = count === 1 && random.chance(0.5) ? values[0] : values
    return { op, content: { field: name, value } }
  }

  /** Regions around a position, or of a whole chromosome that may exist. */
  #regions(position: Used): unknown {
    const random = this.#random
    const beside = /gene_\w+$/.test(position.path) ? 'gene_chromosome' : 'chromosome'
    const place = position.path.replace(PLACED, beside)
    const chromosomes = this.#used.find(({ path }) => path === place)
    const known = (chromosomes?.values ?? []).filter((one) =>
      /^(chr)?[0-9a-z]+$/i.test(String(one)),
    )
    const one = () => {
      const name = random.chance(0.8) && known.length > 0 ? String(this.#pick(known)) : 'chr2'
      const spelled = random.chance(0.5) ? name : name.replace(/^chr/, '')
      const from = Math.max(1, Math.floor(Number(this.#value(position))) + random.below(3) - 1)
      const to = from + random.below(1000)
      const whole = from.toLocaleString('en-US')
      return this.#pick([
        `${spelled}:${from}-${to}`,
        `${spelled}:${whole}`,
        `${spelled}:-${to}`,
        spelled,
      ])
    }
    const field = this.#name(position).replace(/\w+$/, 'region')
    const op = this.#pick(['=', 'in', 'exclude', 'excludeifany'])
    return { op, content: { field, value: Array.from({ length: 1 + random.below(2) }, one) } }
  }

  #ranges(field: string, used: Used): unknown {
    const random = this.#random
    const make = () => {
      const from = random.chance(0.8) ? { from: this.#value(used) } : {}
      const to = random.chance(0.8) || !('from' in from) ? { to: this.#value(used) } : {}
      return { ...from, ...to }
    }
    const one = () => ({ field, ranges: Array.from({ length: 1 + random.below(2) }, make) })
    return random.chance(0.3) ? [one(), one()] : one()
  }

  /** Draws a value that the field has, one that differs slightly, or one that it lacks. */
  #value({ type, values }: Used): unknown {
    const random = this.#random
    const known = values.length > 0 && random.chance(0.9) ? this.#pick(values) : undefined
    if (type === 'boolean') return known ?? this.#pick([true, 'true', 'True', false, 'False'])
    if (type === 'long' || type === 'double' || type === 'float') {
      const number = Number(known ?? random.below(30)) + this.#pick([0, 0, 0, 1, -0.5])
      return random.chance(0.4) ? String(number) : number
    }
    if (known === undefined) return this.#pick(['nowhere', 'zeta', 'a'])
    const text = String(known)
    if (random.chance(0.2)) return text.toUpperCase()
    return random.chance(0.1) ? text.toLowerCase() : known
  }

  #wild({ type }: Used, value: unknown): unknown {
    const random = this.#random
    if (typeof value !== 'string' || (type !== 'keyword' && type !== 'exact' && type !== 'text')) {
      return value
    }
    if (value === '' || !random.chance(0.2)) return value
    const letters = Array.from(value)
    const cut = () => random.below(letters.length + 1)
    const [from, to] = [cut(), cut()].sort((one, other) => one - other) as [number, number]
    return this.#pick([
      '*',
      `${letters.slice(0, from).join('')}*`,
      `*${letters.slice(from).join('')}`,
      `${letters.slice(0, from).join('')}*${letters.slice(to).join('')}`,
      `*${letters.slice(from, to).join('')}*`,
      // A question mark matches itself.
      `${letters.with(from % letters.length, '?').join('')}*`,
    ])
  }
}
