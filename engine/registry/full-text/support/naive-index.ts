import type {
  IndexedRecord,
  Keyword,
  KeywordQuery,
  OrderRange,
  RecordHits,
  RecordQuery,
} from '../record.ts'

// Computes the same answers as the index by scanning all records, and shares no code with it. Names of the
// formula's parts are those of BM25. b and k1 have their usual values.

const K1 = 1.2
const B = 0.75
const BEGUN = 0.25

type Value = string | number

const fold = (text: string) => text.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')

/** Words with the parts of codes, in any order. */
function naiveWords(text: string): { word: string; parts: string[] }[] {
  const words: { word: string; parts: string[] }[] = []
  for (const [run] of fold(text).matchAll(
    /[\p{L}\p{N}](?:[\p{L}\p{N}]|[-/.](?=[\p{L}\p{N}]))*/gu,
  )) {
    const parts = run.split(/[-/.]/)
    if (parts.length > 1 && /\p{N}/u.test(run)) words.push({ word: run, parts })
    else for (const word of parts) words.push({ word, parts: [] })
  }
  return words
}

/** Returns the words of a text for comparing phrases. Codes are split into parts. */
const runOf = (text: string) =>
  naiveWords(text).flatMap(({ word, parts }) => (parts.length > 0 ? parts : [word]))

/** Texts with their weights. */
type Texts = IndexedRecord['texts']

interface NaiveTerm {
  readonly name: string
  readonly words: readonly { word: string; parts: string[] }[]
  /** For a phrase, the words that must follow each other. */
  readonly phrase?: readonly string[]
}

/** Parses `a AND b OR c` into groups of terms that AND joins. */
function naiveGroups(q: string, mode: 'OR' | 'AND'): NaiveTerm[][] {
  const terms: (NaiveTerm & { operator?: string })[] = []
  let rest = q
  while (rest !== '') {
    const quoted = /^"([^"]*)"/.exec(rest)
    const plain = quoted ? null : /^[^\s"]+/.exec(rest)
    if (quoted) {
      const words = naiveWords(quoted[1] ?? '')
      const phrase = runOf(quoted[1] ?? '')
      if (words.length > 0) terms.push({ name: `"${phrase.join(' ')}"`, words, phrase })
    } else if (plain) {
      const words = naiveWords(plain[0])
      const operator = ['AND', 'OR'].includes(plain[0]) ? { operator: plain[0] } : {}
      if (words.length > 0) terms.push({ name: plain[0], words, ...operator })
    }
    rest = rest.slice((quoted ?? plain)?.[0].length ?? 1)
  }
  const joints = terms.map(() => '')
  for (let i = 1; i + 1 < terms.length; i++) {
    const isFree = joints[i - 1] === '' && terms[i + 1]?.operator === undefined
    if (terms[i]?.operator !== undefined && isFree) joints[i] = terms[i]?.operator ?? ''
  }
  const groups: NaiveTerm[][] = []
  for (const [i, term] of terms.entries()) {
    if (joints[i] !== '') continue
    const joint = joints[i - 1] || mode
    if (joint === 'AND' && groups.length > 0) groups.at(-1)?.push(term)
    else groups.push([term])
  }
  return groups
}

/** Stop words, which lists of words leave out. */
const SAY_NOTHING =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  )

/** Returns all words of a record, each as often as it occurs, with the weight of its text. */
function weighted({ texts }: IndexedRecord): [string, number][] {
  return texts.flatMap(({ text, weight }) =>
    naiveWords(text).flatMap(({ word, parts }) =>
      [word, ...parts].map((one): [string, number] => [one, weight]),
    ),
  )
}

function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string')
    return fold(a) < fold(b) ? -1 : fold(a) > fold(b) ? 1 : 0
  return typeof a === 'number' ? -1 : 1
}

export class NaiveIndex {
  readonly records = new Map<string, IndexedRecord>()

  search({ q, mode, filters, ranges = [], order, offset, count }: RecordQuery): RecordHits {
    const passing = this.#passing({ filters, ranges })
    const hasWords = q !== undefined && q.trim() !== ''
    const groups = hasWords ? naiveGroups(q, mode) : []
    // Phrases, keyed by the name of the term.
    const phrases = new Map<string, readonly string[]>()
    const wanted = groups.flatMap((group): string[][] => {
      const each = group.flatMap(({ name, words, phrase }) => {
        if (phrase) phrases.set(name, phrase)
        return phrase ? [name] : words.flatMap((one) => this.#sought(one))
      })
      return group.length === 1 && mode === 'OR' ? each.map((one) => [one]) : [each]
    })
    const words = new Set(wanted.flat())
    const scores = new Map<string, number>()
    for (const record of passing) {
      const each = new Map([...words].map((word) => [word, this.#score(word, record, phrases)]))
      const isFound = wanted.some((group) => group.every((one) => (each.get(one) ?? 0) > 0))
      if (!hasWords || isFound)
        scores.set(
          record.id,
          [...each.values()].reduce((a, b) => a + b, 0),
        )
    }
    const scoreOf = (id: string) => scores.get(id) ?? Number.NaN
    const ids = [...scores.keys()].sort()
    if (order) ids.sort((a, b) => this.#compare(a, b, order))
    else ids.sort((a, b) => scoreOf(b) - scoreOf(a))
    return {
      terms: [...new Set(groups.flat().flatMap(({ words }) => words.map(({ word }) => word)))],
      total: ids.length,
      ...(hasWords && ids.length > 0 && { maxScore: Math.max(...scores.values()) }),
      hits: ids
        .slice(offset, offset + count)
        .map((id) => (hasWords ? { id, score: scoreOf(id) } : { id })),
    }
  }

  keywords({ q = '', count, filters = {}, ranges = [] }: KeywordQuery): Keyword[] {
    const counts = new Map<string, number>()
    for (const record of this.#passing({ filters, ranges })) {
      for (const word of new Set(weighted(record).map(([word]) => word))) {
        if (word.startsWith(fold(q.trim()))) counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
    return [...counts]
      .map(([keyword, count]) => ({ keyword, count }))
      .filter(({ keyword }) => !SAY_NOTHING.includes(keyword))
      .sort((a, b) => b.count - a.count || (a.keyword < b.keyword ? -1 : 1))
      .slice(0, count)
  }

  #passing({ filters, ranges = [] }: Pick<RecordQuery, 'filters' | 'ranges'>): IndexedRecord[] {
    return [...this.records.values()].filter(
      (record) =>
        Object.entries(filters).every(
          ([name, values]) => !values || record.filters[name]?.some((one) => values.includes(one)),
        ) && ranges.every((range) => isWithin(record, range)),
    )
  }

  #sought({ word, parts }: { word: string; parts: string[] }): string[] {
    const isThere = this.#all().some((words) => words.some(([one]) => one.startsWith(word)))
    return isThere || parts.length === 0 ? [word] : parts
  }

  #score(word: string, record: IndexedRecord, phrases: Map<string, readonly string[]>): number {
    const all = this.#all()
    const words = weighted(record)
    const phrase = phrases.get(word)
    if (phrase) {
      const having = [...this.records.values()].filter(({ texts }) => timesOf(phrase, texts) > 0)
      return this.#rated(timesOf(phrase, record.texts), having.length, words.length)
    }
    const weightsOf = (isMeant: (one: string) => boolean) =>
      words.reduce((sum, [one, weight]) => sum + (isMeant(one) ? weight : 0), 0)
    const tf =
      weightsOf((one) => one === word) +
      BEGUN * weightsOf((one) => one !== word && one.startsWith(word))
    const n = all.filter((other) => other.some(([one]) => one.startsWith(word))).length
    return this.#rated(tf, n, words.length)
  }

  #rated(tf: number, n: number, length: number): number {
    const all = this.#all()
    const idf = Math.log(1 + (all.length - n + 0.5) / (n + 0.5))
    const average = all.reduce((sum, other) => sum + other.length, 0) / all.length
    // The order of operations is that of the index, so that both get exactly equal scores.
    return (idf * (K1 + 1) * tf) / (tf + K1 * (1 - B + B * (length / average)))
  }

  #all(): [string, number][][] {
    return [...this.records.values()].map(weighted)
  }

  #compare(a: string, b: string, { name, descending }: NonNullable<RecordQuery['order']>): number {
    const [left, right] = [a, b].map((id) => this.records.get(id)?.orders[name])
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined)
    }
    return compare(left, right) * (descending ? -1 : 1)
  }
}

function timesOf(phrase: readonly string[], texts: Texts): number {
  let sum = 0
  for (const { text, weight } of texts) {
    const run = runOf(text)
    for (let i = 0; i < run.length; i++) {
      if (phrase.every((word, nth) => run[i + nth] === word)) sum += weight
    }
  }
  return sum
}

function isWithin({ orders }: IndexedRecord, { order, from, to }: OrderRange): boolean {
  const value = orders[order]
  if (value === undefined) return false
  return (
    (from === undefined || compare(value, from) >= 0) &&
    (to === undefined || compare(value, to) < 0)
  )
}
