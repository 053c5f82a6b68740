import { isObject, member, type Unknowns } from '../../shared/input/unknowns.ts'
import { type DictionaryIssues, shown } from './issues.ts'

/** Maximum number of nested values in a file. A referenced value counts each time that a file uses it. */
const MAX_VALUES = 2_000_000
const MAX_DEPTH = 64

/** Name of the metaschema. It refers to itself, so its references are not resolved. */
export const METASCHEMA = 'metaschema'

/**
 * Resolves `$ref` (submission.md 5): a text of the form `file.yaml#/name` or a list of them. Referenced
 * members override those next to the reference, and later references override earlier ones. A value that is
 * referenced several times is one shared object in the result.
 */
export function resolveReferences(
  files: ReadonlyMap<string, unknown>,
  issues: DictionaryIssues,
): ReadonlyMap<string, unknown> {
  const resolver = new Resolver(files, issues)
  const resolved = new Map<string, unknown>()
  let count = 0
  for (const [file, value] of files) {
    const isMetaschema = file === METASCHEMA
    resolved.set(file, isMetaschema ? value : resolver.resolve({ file, path: '' }, value, 0))
    count += resolver.measureOf(resolved.get(file)).count
  }
  if (count > MAX_VALUES) issues.add('', '', `all files come to more than ${MAX_VALUES} values`)
  return resolved
}

interface Place {
  readonly file: string
  readonly path: string
}

/** Number of nested values in a value, and depth of their nesting. */
interface Measure {
  readonly count: number
  readonly depth: number
}

const ONE: Measure = { count: 1, depth: 1 }

class Resolver {
  readonly #files: ReadonlyMap<string, unknown>
  readonly #issues: DictionaryIssues
  /** Resolved references by file and path. */
  readonly #known = new Map<string, unknown>()
  /** References that are being resolved, to detect cycles. */
  readonly #open = new Set<string>()
  readonly #measures = new WeakMap<object, Measure>()

  constructor(files: ReadonlyMap<string, unknown>, issues: DictionaryIssues) {
    this.#files = files
    this.#issues = issues
  }

  resolve(at: Place, value: unknown, level: number): unknown {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.#note(at, `${value} is no number of JSON`)
    }
    if (typeof value !== 'object' || value === null) return value
    if (level > MAX_DEPTH) return this.#note(at, `is nested deeper than ${MAX_DEPTH} levels`)
    if (isObject(value)) return this.#members(at, value, level)
    const items = (value as readonly unknown[]).map((item, i) =>
      this.resolve(within(at, `[${i}]`), item, level + 1),
    )
    return this.#measured(at, items, items)
  }

  measureOf(value: unknown): Measure {
    const isWhole = typeof value === 'object' && value !== null
    return (isWhole ? this.#measures.get(value) : undefined) ?? ONE
  }

  #members(at: Place, members: Unknowns, level: number): unknown {
    const resolved = new Map<string, unknown>()
    for (const [name, value] of Object.entries(members)) {
      if (name !== '$ref') resolved.set(name, this.resolve(within(at, name), value, level + 1))
    }
    const place = within(at, '$ref')
    for (const reference of this.#references(place, members.$ref)) {
      const target = this.#target(place, reference, level)
      if (!isObject(target)) this.#note(place, `${reference} is no mapping`)
      else for (const [name, value] of Object.entries(target)) resolved.set(name, value)
    }
    return this.#measured(at, Object.fromEntries(resolved), resolved.values())
  }

  #references(at: Place, given: unknown): readonly string[] {
    if (given === undefined) return []
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    return list.filter((one): one is string => {
      if (typeof one === 'string' && /^([\w.-]+\.yaml)?#(\/[^/]+)+$/.test(one)) return true
      const wanted = 'use a text such as _definitions.yaml#/uuid, or a list of such texts'
      this.#note(at, `${shown(one)} is no reference; ${wanted}`)
      return false
    })
  }

  #target(at: Place, reference: string, level: number): unknown {
    const [name = '', pointer = ''] = reference.split('#')
    const file = name === '' ? at.file : name.slice(0, -'.yaml'.length)
    const key = `${file}#${pointer}`
    if (this.#known.has(key)) return this.#known.get(key)
    if (this.#open.has(key)) return this.#note(at, `${reference} refers to itself`)
    const steps = pointer.split('/').slice(1)
    const found = steps.reduce<unknown>(memberOf, this.#files.get(file))
    if (found === undefined) return this.#note(at, `there is no ${reference}`)
    this.#open.add(key)
    const resolved = this.resolve({ file, path: steps.join('.') }, found, level + 1)
    this.#open.delete(key)
    this.#known.set(key, resolved)
    return resolved
  }

  /** Records the size of a value. A value over the limits is reported and dropped. */
  #measured(at: Place, value: object, parts: Iterable<unknown>): unknown {
    let count = 1
    let depth = 0
    for (const part of parts) {
      const measure = this.measureOf(part)
      count += measure.count
      depth = Math.max(depth, measure.depth)
    }
    if (count > MAX_VALUES) return this.#note(at, `comes to more than ${MAX_VALUES} values`)
    if (depth >= MAX_DEPTH) return this.#note(at, `is nested deeper than ${MAX_DEPTH} levels`)
    this.#measures.set(value, { count, depth: depth + 1 })
    return value
  }

  #note({ file, path }: Place, message: string): unknown {
    this.#issues.add(`${file}.yaml`, path, message)
    return {}
  }
}

function within({ file, path }: Place, step: string): Place {
  return { file, path: path === '' || step.startsWith('[') ? `${path}${step}` : `${path}.${step}` }
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? member(value, name) : undefined
}
