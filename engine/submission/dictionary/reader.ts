import { isObject } from '../../shared/input/unknowns.ts'
import { type DictionaryIssues, shown } from './issues.ts'

/** Reads a parsed YAML value member by member, and reports problems with their place. */
export class Reader {
  readonly value: unknown
  readonly #file: string
  readonly #place: string
  readonly #issues: DictionaryIssues

  constructor(issues: DictionaryIssues, file: string, value: unknown, place = '') {
    this.#issues = issues
    this.#file = file
    this.#place = place
    this.value = value
  }

  note(message: string): void {
    this.#issues.add(this.#file, this.#place, message)
  }

  has(name: string): boolean {
    return isObject(this.value) && Object.hasOwn(this.value, name)
  }

  member(name: string): Reader {
    const value = this.has(name) ? (this.value as Record<string, unknown>)[name] : undefined
    const place = this.#place === '' ? name : `${this.#place}.${name}`
    return new Reader(this.#issues, this.#file, value, place)
  }

  /** Returns the members of a mapping. Reports any other value as a problem. */
  members(): readonly (readonly [string, Reader])[] {
    if (isObject(this.value)) {
      return Object.keys(this.value).map((name) => [name, this.member(name)] as const)
    }
    this.#unlike('a mapping')
    return []
  }

  items(): readonly Reader[] {
    if (!Array.isArray(this.value)) {
      this.#unlike('a list')
      return []
    }
    return this.value.map(
      (item, i) => new Reader(this.#issues, this.#file, item, `${this.#place}[${i}]`),
    )
  }

  text(): string {
    if (typeof this.value === 'string' && this.value !== '') return this.value
    this.#unlike('a text')
    return ''
  }

  flag(byDefault?: boolean): boolean {
    if (this.value === undefined && byDefault !== undefined) return byDefault
    if (typeof this.value === 'boolean') return this.value
    this.#unlike('true or false')
    return false
  }

  number(): number {
    if (typeof this.value === 'number') return this.value
    this.#unlike('a number')
    return 0
  }

  /** Reads one of the given words. Reports any other value as a problem and returns undefined. */
  word<Word extends string>(words: readonly Word[]): Word | undefined {
    const found = words.find((word) => word === this.value)
    if (found === undefined) this.#unlike(`one of ${words.join(', ')}`)
    return found
  }

  /** Reads a list of texts and reports duplicates. */
  texts(): readonly string[] {
    const texts = this.items().map((item) => item.text())
    if (new Set(texts).size < texts.length) this.note('names one several times')
    return texts
  }

  /** Reports members with other names. */
  onlyMembers(names: ReadonlySet<string>): void {
    for (const [name, member] of this.members()) {
      if (!names.has(name)) member.note(`is no keyword; use some of ${[...names].join(', ')}`)
    }
  }

  #unlike(wanted: string): void {
    this.note(
      this.value === undefined
        ? `is missing; give ${wanted}`
        : `is ${shown(this.value)}; use ${wanted}`,
    )
  }
}
