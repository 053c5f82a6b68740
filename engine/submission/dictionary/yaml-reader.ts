import { isObject } from '../../shared/input/unknowns.ts'
import { type DictionaryIssues, shown } from './issues.ts'

/** Reads a parsed YAML value member by member, and reports problems with their place. */
export class YamlReader {
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

  /** Reports a problem of the value at this place. */
  report(message: string): void {
    this.#issues.add(this.#file, this.#place, message)
  }

  has(name: string): boolean {
    return isObject(this.value) && Object.hasOwn(this.value, name)
  }

  /** Returns a reader for a member. If the member is missing, the reader's value is undefined. */
  member(name: string): YamlReader {
    const value = this.has(name) ? (this.value as Record<string, unknown>)[name] : undefined
    const place = this.#place === '' ? name : `${this.#place}.${name}`
    return new YamlReader(this.#issues, this.#file, value, place)
  }

  /** Returns the members of a mapping. Reports any other value as a problem. */
  members(): readonly (readonly [string, YamlReader])[] {
    if (isObject(this.value)) {
      return Object.keys(this.value).map((name) => [name, this.member(name)] as const)
    }
    this.#reportOther('a mapping')
    return []
  }

  /** Returns readers for the items of a list. Reports any other value as a problem. */
  items(): readonly YamlReader[] {
    if (!Array.isArray(this.value)) {
      this.#reportOther('a list')
      return []
    }
    return this.value.map(
      (item, i) => new YamlReader(this.#issues, this.#file, item, `${this.#place}[${i}]`),
    )
  }

  /** Reads a text that is not empty. Reports any other value as a problem, and returns ''. */
  text(): string {
    if (typeof this.value === 'string' && this.value !== '') return this.value
    this.#reportOther('a text')
    return ''
  }

  /** Reads a boolean. Reports any other value as a problem and returns false. */
  flag(byDefault?: boolean): boolean {
    if (this.value === undefined && byDefault !== undefined) return byDefault
    if (typeof this.value === 'boolean') return this.value
    this.#reportOther('true or false')
    return false
  }

  number(): number {
    if (typeof this.value === 'number') return this.value
    this.#reportOther('a number')
    return 0
  }

  /** Reads one of the given words. Reports any other value as a problem and returns undefined. */
  word<Word extends string>(words: readonly Word[]): Word | undefined {
    const found = words.find((word) => word === this.value)
    if (found === undefined) this.#reportOther(`one of ${words.join(', ')}`)
    return found
  }

  /** Reads a list of texts and reports duplicates. */
  texts(): readonly string[] {
    const texts = this.items().map((item) => item.text())
    if (new Set(texts).size < texts.length) this.report('names one several times')
    return texts
  }

  /** Reports members whose names are not in the set. */
  onlyMembers(names: ReadonlySet<string>): void {
    for (const [name, member] of this.members()) {
      if (!names.has(name)) member.report(`is no keyword; use some of ${[...names].join(', ')}`)
    }
  }

  #reportOther(wanted: string): void {
    this.report(
      this.value === undefined
        ? `is missing; give ${wanted}`
        : `is ${shown(this.value)}; use ${wanted}`,
    )
  }
}
